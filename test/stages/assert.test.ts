import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import assert from '../../stages/assert/index.js';
import type { AssertOptions, Check } from '../../stages/assert/options.js';
import { stageContract } from './contract.js';
import { realContext } from './real-context.js';
import { plainFacts, recordingContext } from './recording-context.js';

stageContract('assert', {
  asksCommands: true,
  examples: [
    {
      options: { checks: [{ expression: 'a.x >= 1' }], from: { a: 'a.json' } },
      world: { files: { 'a.json': '{"x": 1}' } },
    },
    {
      options: { checks: [{ command: 'list-envs', contains: 'debate-v1' }, { command: ['true'] }], to: 'tests.json' },
      world: { prints: () => ({ stdout: 'debate-v1\n' }) },
    },
    {
      options: { checks: [{ file: 'a', contains: 'x' }, { file: 'a', differs: 'b' }, { tests: 't.yaml' }] },
      world: { files: { a: 'x', b: 'y', 't.yaml': 'tests: [{ name: one, status: pass }]' } },
    },
  ],
  refused: [
    {},
    { checks: [] },
    { checks: [{ expresion: 'true' }] },
    { checks: [{ command: '' }] },
    { checks: [{ command: 'x', exit: 256 }] },
    { checks: [{ expression: 'true' }], from: { a: { file: 'a', run: 'b' } } },
  ],
});

const run = async (given: Partial<AssertOptions> & { checks: Check[] }, files: Record<string, string> = {}) => {
  const context = realContext(files, { facts: { vars: { steps: 5 }, matrix: { seed: 11 } } });
  const result = await assert.run(given as AssertOptions, context);
  return {
    result,
    context,
    tests: result.tests ?? [],
    lines: !result.ok && 'lines' in result.failure ? result.failure.lines : [],
  };
};

const one = async (check: Check, files: Record<string, string> = {}, more: Partial<AssertOptions> = {}) => {
  const { tests } = await run({ ...more, checks: [check] }, files);
  expect(tests).toHaveLength(1);
  return tests[0]!.status === 'passed' ? 'holds' : tests[0]!.detail;
};

describe('expressions', () => {
  const config = `
actors_queue_batches = 64
GENERATIONS_PER_PROMPT = 8
TRAIN_BATCH_SIZE = 32
n_gradient_accumulation_steps = 4
NAN = float('nan')
`;
  const short = {
    queue: 'debate.actors_queue_batches',
    gens: 'debate.GENERATIONS_PER_PROMPT',
    batch: 'debate.TRAIN_BATCH_SIZE',
    accum: 'debate.n_gradient_accumulation_steps',
  };
  const ask = (expression: string, text = config) =>
    one({ expression }, { 'c.py': text }, { from: { debate: 'c.py' }, let: short });

  test('over the values of a Python config, by short names', async () => {
    expect(await ask('queue >= gens * (batch / accum)')).toBe('holds');
    expect(await ask('queue >= gens * (batch / accum)', config.replace('64', '63'))).toBe(
      'queue >= gens * (batch / accum) is false (queue is 63, gens is 8, batch is 32, accum is 4)',
    );
  });

  test('over vars and matrix', async () => {
    expect(await one({ expression: 'vars.steps == 5 && matrix.seed == 11' })).toBe('holds');
  });

  test.each([
    ['queue >= nothing', 'unknown name "nothing" (queue is 64)'],
    ['debate.NAN > 0', 'unknown name "debate.NAN" (debate.NAN is NaN)'],
    ['queue', 'the expression gives a number, not true or false (queue is 64)'],
    ['queue >= "64"', expect.stringContaining('(queue is 64)')],
    ['queue / 0 > 1', expect.stringContaining('(queue is 64)')],
  ])('%s cannot be worked out, so it does not hold', async (expression, why) => {
    expect(await ask(expression)).toEqual(why);
  });

  test('what no check uses of a config stays out of the log', async () => {
    const { context, result } = await run(
      { checks: [{ expression: 'c.x == 1' }, { mapping: 'c.m', has: 'k' }], from: { c: 'c.py' } },
      { 'c.py': 'x = 1\nm = {"k": 1}\nKEY = "hunter2"' },
    );
    expect(result).toMatchObject({ ok: true });
    expect(JSON.stringify(context.effects)).not.toContain('hunter2');
  });

  test('a short name for nothing is told', async () => {
    expect(await ask('accum > 0', config.replace('n_gradient_accumulation_steps', 'accumulation'))).toBe(
      'unknown name "accum" (accum is missing (there is no debate.n_gradient_accumulation_steps))',
    );
  });
});

describe('commands', () => {
  test.each<[Check, string]>([
    [{ command: 'python3 -c "import json"' }, 'holds'],
    [{ command: ['sh', '-c', 'exit 3'], exit: 3 }, 'holds'],
    [{ command: 'exit 3' }, 'exit code 3, expected 0'],
    [{ command: 'true', exit: 1 }, 'exit code 0, expected 1'],
    [{ command: 'nosuchprogram-xyz', exit: 0 }, expect.stringContaining('exit code 127, expected 0')],
    [{ command: 'echo debate-v1', contains: 'debate-v1' }, 'holds'],
    [{ command: 'echo other-v1', contains: 'debate-v1' }, '"debate-v1" is not in it: other-v1'],
    [{ command: 'echo step 7', matches: '^step \\d+$' }, 'holds'],
    [{ command: 'echo step x', matches: '^step \\d+$' }, 'nothing in it fits ^step \\d+$: step x'],
    [{ command: 'echo fine; echo NaN >&2', lacks: 'NaN' }, '"NaN" is in it'],
    [{ command: 'echo x', matches: '(' }, expect.stringContaining('is no regular expression')],
    [{ command: `printf 'a%.0s' $(seq 64); echo '!'`, matches: '^(a+)+$' }, expect.stringContaining('takes too long')],
  ])('%j: %s', async (check, expected) => {
    expect(await one(check)).toEqual(expected);
  });

  test('one that is ended from outside ends the stage, and is no answer', async () => {
    const failure = { code: 'timed-out', afterMs: 1000 } as const;
    const context = recordingContext({ commandEnd: { ok: false, failure } });
    const result = await assert.run({ checks: [{ command: 'sleep 9' }, { command: 'true' }] }, context);
    expect(result).toEqual({ ok: false, failure, tests: [] });
    expect(context.effects).toHaveLength(1);
  });
});

describe('files', () => {
  const files = {
    a: 'alpha\nbeta\n',
    b: 'alpha\nbeta\n',
    c: 'gamma\n',
    empty: '',
    'r.json': '{"loss": 0.5}',
    'n.json': '{"loss": "0.5"}',
    's.json': '{"type": "object", "required": ["loss"], "properties": {"loss": {"type": "number"}}}',
  };
  test.each<[Check, string]>([
    [{ file: 'a' }, 'holds'],
    [{ file: 'nope' }, 'nope is not there'],
    [{ file: 'empty' }, 'empty is empty'],
    [{ file: 'a', contains: 'beta', matches: '^alpha$', lacks: 'gamma' }, 'holds'],
    [{ file: 'a', equals: 'b' }, 'holds'],
    [{ file: 'a', equals: 'c' }, 'it differs from c'],
    [{ file: 'a', equals: 'nope' }, 'nope is not there'],
    [{ file: 'a', differs: 'c' }, 'holds'],
    [{ file: 'a', differs: 'b' }, 'it is the same as b'],
    [{ file: 'a', differs: 'nope' }, 'nope is not there'],
    [{ missing: 'nope' }, 'holds'],
    [{ missing: 'a' }, 'a is there'],
    [{ missing: 'empty' }, 'empty is there'],
    [{ file: 'r.json', schema: 's.json' }, 'holds'],
    [{ file: 'n.json', schema: 's.json' }, expect.stringMatching(/^n.json does not satisfy s.json: .*loss/)],
    [{ file: 'r.json', schema: 'nope.json' }, expect.stringContaining('no such file')],
    [{ file: 'a', schema: 's.json' }, expect.stringContaining('a does not satisfy s.json')],
  ])('%j: %s', async (check, expected) => {
    expect(await one(check, files)).toEqual(expected);
  });
});

describe('mappings', () => {
  const files = {
    'a.json': '{"remap": {"debate-v1": "debate", "x": 1}, "patch": {"p": 1, "q": 2}, "n": 3}',
    'b.json': '{"remap": {}, "patch": {"p": 5}}',
  };
  test.each<[Check, string]>([
    [{ mapping: 'a.remap', has: 'debate-v1' }, 'holds'],
    [{ mapping: 'a.remap', has: 'debate-v1', equals: 'debate' }, 'holds'],
    [{ mapping: 'a.remap', has: 'x', equals: '1' }, 'a.remap.x is 1, expected "1"'],
    [{ mapping: 'a.remap', has: 'toString' }, 'a.remap has no toString; its keys are debate-v1, x'],
    [{ mapping: 'b.remap', has: 'debate-v1' }, 'b.remap has no debate-v1; its keys are none'],
    [{ mapping: 'b.remap', lacks: 'debate-v1' }, 'holds'],
    [{ mapping: 'a.remap', lacks: 'x' }, 'a.remap has x; expected without it'],
    [{ mapping: 'a.nope', lacks: 'x' }, 'there is no a.nope'],
    [{ mapping: 'a.n', has: 'x' }, 'a.n is 3, not a map'],
    [{ sameKeys: ['a.patch', 'b.patch'] }, 'b.patch has no q'],
    [{ sameKeys: ['a.patch', 'a.patch'] }, 'holds'],
    [{ sameKeys: ['b.remap', 'b.remap'] }, 'none of them has a key'],
    [{ sameKeys: ['a.patch', 'c.patch'] }, 'there is no c.patch'],
    [{ absent: 'a.nothing' }, 'holds'],
    [{ absent: 'b.remap' }, 'holds'],
    [{ absent: 'b.patch' }, 'b.patch is {"p":5}; expected without it'],
    [{ absent: 'a.n' }, 'a.n is 3; expected without it'],
    [{ absent: 'c.remap' }, 'there is no c to look at'],
  ])('%j: %s', async (check, expected) => {
    expect(await one(check, files, { from: { a: 'a.json', b: 'b.json' } })).toBe(expected);
  });
});

describe('checklists', () => {
  const read = async (text: string): Promise<readonly TestResult[]> =>
    (await run({ checks: [{ tests: 't.yaml' }] }, { 't.yaml': text })).tests;

  test('are taken over, test by test', async () => {
    const text =
      'tests:\n  - { name: loss falls, status: PASS, detail: 4.1 → 2.2 }\n  - { name: gpu, status: skipped }\n';
    expect(await read(text)).toEqual([
      { name: 'loss falls', status: 'passed', detail: '4.1 → 2.2' },
      { name: 'gpu', status: 'skipped' },
    ]);
  });

  test.each([
    ['tests: []', 't.yaml holds no test'],
    ['results: []', 't.yaml has no list "tests"'],
    ['', 't.yaml has no list "tests"'],
    ['tests: [true]', 'it is not a map of name, status and detail'],
    ['tests: [{ status: pass }]', 'it has no name'],
    ['tests: [{ name: a }]', 'its status is missing, not passed, failed or skipped'],
    ['tests: [{ name: a, status: true }]', 'its status is true, not passed, failed or skipped'],
    ['tests: [{ name: a, status: toString }]', 'its status is "toString", not passed, failed or skipped'],
    ['tests: [', expect.any(String)],
  ])('%s is a failure', async (text, why) => {
    expect(await read(text)).toEqual([{ name: expect.any(String), status: 'failed', detail: why }]);
  });

  test('one from before the run, or none at all, is a failure', async () => {
    const context = recordingContext({ files: { 't.json': '[]' }, older: ['t.json'] });
    const result = await assert.run({ checks: [{ tests: 't.json' }, { tests: 'u.json' }] }, context);
    expect(result).toMatchObject({
      failure: {
        lines: [
          'tests t.json: t.json is older than the run or its plan: it was there before, and no task has written it as one of its outputs',
          'tests u.json: u.json is not there',
        ],
      },
    });
  });

  test('where everything is skipped, nothing was checked', async () => {
    const { lines } = await run({ checks: [{ tests: 't.json' }] }, { 't.json': '[{"name": "gpu", "status": "skip"}]' });
    expect(lines).toEqual(['nothing was checked']);
  });
});

test('all failures are told at once, and the checklist is published and written', async () => {
  const { result, context } = await run({
    checks: [{ expression: '1 > 2' }, { name: 'there', missing: 'x' }, { file: 'y' }, { command: 'exit 2' }],
    to: 'out/tests.json',
  });
  const tests = [
    { name: '1 > 2', status: 'failed', detail: '1 > 2 is false' },
    { name: 'there', status: 'passed' },
    { name: 'file y', status: 'failed', detail: 'y is not there' },
    { name: 'command exit 2', status: 'failed', detail: 'exit code 2, expected 0' },
  ];
  expect(result).toEqual({
    ok: false,
    failure: {
      code: 'checks-failed',
      checked: 4,
      lines: ['1 > 2: 1 > 2 is false', 'file y: y is not there', 'command exit 2: exit code 2, expected 0'],
    },
    tests,
  });
  expect(context.lines()[0]).toBe('✗ 1 > 2: 1 > 2 is false');
  expect(JSON.parse(readFileSync(join(context.dir, 'out/tests.json'), 'utf8'))).toEqual({ tests });
});

test('a config that cannot be read fails the stage', async () => {
  const { result } = await run({ checks: [{ expression: 'a.x == 1' }], from: { a: 'a.json' } }, { 'a.json': '{' });
  expect(result).toMatchObject({ failure: { code: 'behaviour-failed', detail: expect.stringMatching(/^a: /) } });
});

test('checks that make no sense are found before anything runs', () => {
  const { problems } = assert.describe(
    {
      checks: [
        {},
        { expression: 'true', file: 'a' },
        { name: 'n', expression: 'true', exit: 1 },
        { mapping: 'a.b' },
        { mapping: 'a.b', lacks: 'c', equals: 1 },
        { file: 'a', equals: 1 },
      ],
      from: { vars: 'a.json', a: 'a.xyz' },
      let: { a: 'a.b' },
    },
    plainFacts,
  );
  const kinds = 'expression, command, file, missing, mapping, absent, sameKeys, tests';
  expect(problems).toEqual([
    `check 1 has none of ${kinds}; it needs one`,
    `check 2 has expression and file of ${kinds}; it needs one`,
    'check "n": exit has no effect beside expression',
    'check 4: say which key the mapping has or lacks',
    'check 5: equals needs has, the key whose value it is',
    'check 6: equals is the path of another file',
    'from a: the ending of a.xyz does not say what it is: state format',
    'vars is given by the runner, so it cannot be a name of from or let',
    'a stands in both from and let',
  ]);
});
