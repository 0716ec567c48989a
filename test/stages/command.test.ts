import { expect, test } from 'vitest';
import command from '../../stages/command/index.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext } from './recording-context.js';

stageContract('command', {
  examples: [{ options: { run: 'node train.mjs > log' } }, { options: { run: ['node', 'train.mjs', ''] } }],
  refused: [
    {},
    { run: '' },
    { run: ' \n' },
    { run: [] },
    { run: 1 },
    { run: ['node', 1] },
    { run: null },
    { Run: 'true' },
  ],
});

test('hands the command to the context as it was written', async () => {
  for (const run of ['  a | b\n', ['a', '|', 'b c']] as const) {
    const context = recordingContext();
    expect(await command.run({ run }, context)).toEqual({ ok: true });
    expect(context.effects).toEqual([{ kind: 'command', run }]);
  }
});

test.each([
  ['node train.mjs', 'node train.mjs', 'node train.mjs'],
  ['\n  a\n', 'a', 'a'],
  ['set -e\nmake\n', 'set -e … (+1 line)', 'set -e\nmake'],
  ['a\nb\nc', 'a … (+2 lines)', 'a\nb\nc'],
  [['node', '--seed=1', './a/b_c.mjs'], 'node --seed=1 ./a/b_c.mjs', 'node --seed=1 ./a/b_c.mjs'],
  [['echo', 'two words', '$HOME', ''], "echo 'two words' '$HOME' ''", "echo 'two words' '$HOME' ''"],
  [['echo', "it's"], "echo 'it'\\''s'", "echo 'it'\\''s'"],
  [['printf', 'a\nb'], "printf 'a … (+1 line)", "printf 'a\nb'"],
] as const)('describes %j', (run, summary, shown) => {
  expect(command.describe({ run }, plainFacts)).toEqual({ summary, commands: [shown] });
});
