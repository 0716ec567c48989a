import { expect, test } from 'vitest';
import template from '../../stages/_template/index.js';
import { stageContract } from './contract.js';
import { recordingContext } from './recording-context.js';

stageContract('_template', {
  examples: [
    { options: { note: 'hello', to: 'note.txt' } },
    { options: { note: 'hello', to: 'note.txt', check: 'test -d results' } },
  ],
  refused: [{}, { note: '', to: 'note.txt' }, { note: 'hello', to: 'note.txt', check: ' ' }],
});

test('writes the note once the check has passed', async () => {
  const context = recordingContext();
  expect(await template.run({ note: 'hello', to: 'note.txt', check: 'true' }, context)).toEqual({
    ok: true,
    summary: '5 characters in note.txt',
  });
  expect(context.effects).toEqual([
    { kind: 'command', run: 'true' },
    { kind: 'write', path: 'note.txt', content: 'hello\n' },
    { kind: 'log', line: 'wrote note.txt' },
  ]);
});

test('a blank note is a failure, and nothing is written', async () => {
  const context = recordingContext();
  expect(await template.run({ note: ' ', to: 'note.txt' }, context)).toEqual({
    ok: false,
    failure: { code: 'behaviour-failed', detail: 'the note is blank' },
  });
  expect(context.effects).toEqual([]);
});
