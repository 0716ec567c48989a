import type { AgentEnd, MustHaves } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { isStub } from '../../src/stage/substance.js';
import verify from '../../stages/verify/index.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';

const model = 'def step(x):\n    return x + 1\n';

stageContract('verify', {
  examples: [
    {
      options: {
        must_haves: { artifacts: ['src/model.py'], key_links: [{ from: 'src/train.py', to: 'src/model.py' }] },
      },
      world: { files: { 'src/model.py': model, 'src/train.py': 'from model import step\nstep(1)\n' } },
    },
    {
      options: { must_haves: { commands: [{ run: 'make test', prints: '3 passed' }] }, to: 'V.md' },
      world: { prints: () => ({ stdout: '3 passed\n' }) },
    },
    {
      options: { from: ['PLAN.md'], must_haves: { artifacts: ['src/model.py'], commits: [{ subject: 'feat' }] } },
      world: {
        prints: () => ({ stdout: '1234567890abcdef feat: it\n' }),
        files: { 'src/model.py': model },
        mustHaves: { 'PLAN.md': { truths: [], artifacts: [{ path: 'src/model.py' }], keyLinks: [] } },
      },
    },
  ],
  refused: [
    { must_haves: { truths: [''] } },
    { must_haves: { truths: [{ truth: 'it is fast' }] } },
    { must_haves: { artefacts: [] } },
    { must_haves: { artifacts: [{ path: 'a', min_line: 3 }] } },
    { must_haves: { commits: [{ subject: 'x', since: '--output=x' }] } },
    { closure: 3 },
    { from: [] },
    { exhausted: 'pass' },
  ],
});

const run = async (options: Parameters<typeof verify.run>[0], world: World = {}) => {
  const context = recordingContext(world);
  const result = await verify.run(options, context);
  const written = context.effects.flatMap((effect) => (effect.kind === 'write' ? [effect.content] : []));
  return { result, written, effects: context.effects, report: written.at(-1) ?? '' };
};

const gapsIn = (result: Awaited<ReturnType<typeof run>>['result']): readonly string[] =>
  !result.ok && result.failure.code === 'gaps-found' ? result.failure.gaps : [];

const checked = (results: { number: number; holds: boolean; reason: string; files: string[] }[]) =>
  ({ ok: true, reply: { results }, files: [] }) as unknown as AgentEnd<never>;

describe('what has to be true', () => {
  test.each([
    ['is not there', {}, 'src/model.py: is not there'],
    ['is empty', { 'src/model.py': '' }, 'src/model.py: src/model.py is empty'],
    ['is blank', { 'src/model.py': ' \n\n' }, 'src/model.py: src/model.py holds nothing but blanks'],
    [
      'is a stub',
      { 'src/model.py': 'import os\n\ndef step(x):\n    # TODO\n    raise NotImplementedError\n' },
      'src/model.py: src/model.py is a stub: nothing in it does anything',
    ],
  ])('an artifact that %s is a gap', async (_name, files, expected) => {
    const { result } = await run({ must_haves: { artifacts: ['src/model.py'] } }, { files });
    expect(gapsIn(result)).toEqual([expected]);
  });

  test.each([
    [{ contains: 'lr' }, 'does not contain "lr"'],
    [{ contains: ['step', 'lr'] }, 'does not contain "lr"'],
    [{ exports: ['steps'] }, 'does not define steps'],
    [{ exports: ['return'] }, 'does not define return'],
    [{ min_lines: 3 }, 'has 2 lines, and 3 are asked for'],
    [{ min_bytes: 100 }, 'src/model.py has 30 bytes, and 100 are asked for'],
  ])('an artifact with %j has to have it', async (wish, expected) => {
    const files = { 'src/model.py': model };
    const { result } = await run({ must_haves: { artifacts: [{ path: 'src/model.py', ...wish }] } }, { files });
    expect(gapsIn(result)).toEqual([`src/model.py: ${expected}`]);
  });

  test('an artifact with all that is asked for holds', async () => {
    const wish = {
      path: 'src/model.py',
      provides: 'the step',
      contains: 'x + 1',
      exports: ['step'],
      min_lines: 2,
      min_bytes: 5,
    };
    const { result, report } = await run({ must_haves: { artifacts: [wish] } }, { files: { 'src/model.py': model } });
    expect(result).toEqual({ ok: true, summary: 'passed, 1/1' });
    expect(report).toContain('| ✓ | artifact | src/model.py (the step) | 30 bytes |');
  });

  test.each([
    [{ from: 'a.py', to: 'b.py' }, { 'a.py': 'x = 1\n' }, 'a.py → b.py: b.py is not there'],
    [{ from: 'a.py', to: 'b.py' }, { 'b.py': 'x = 1\n' }, 'a.py → b.py: a.py is not there'],
    [{ from: 'a.py', to: 'b.py' }, { 'a.py': 'x = 1\n', 'b.py': 'y = 1\n' }, 'a.py → b.py: "b" is not found in a.py'],
    [
      { from: 'a.py', to: 'b.py', pattern: 'import\\s+b' },
      { 'a.py': 'b = 1\n', 'b.py': 'y = 1\n' },
      'a.py → b.py: /import\\s+b/ is not found in a.py',
    ],
    [
      { from: 'a.py', to: 'b.py', pattern: '(' },
      { 'a.py': 'b = 1\n', 'b.py': 'y = 1\n' },
      'a.py → b.py: "(" is no regular expression: Invalid regular expression: /(/m: Unterminated group',
    ],
    [
      { from: 'a.py', to: 'b.py', pattern: '^(a+)+$' },
      { 'a.py': `${'a'.repeat(50)}!\n`, 'b.py': 'y = 1\n' },
      'a.py → b.py: the expression "^(a+)+$" takes too long',
    ],
  ])('a link %j', async (link, files, expected) => {
    const { result } = await run({ must_haves: { key_links: [link] } }, { files: files as Record<string, string> });
    expect(gapsIn(result)).toEqual([expected]);
  });

  test.each([
    [{ run: 'x' }, { exitCode: 3 }, '`x` exited with 3, not 0'],
    [{ run: 'x', exit: 3 }, { exitCode: 0 }, '`x` exited with 0, not 3'],
    [{ run: 'x', prints: 'ok' }, { stdout: 'no\n' }, '`x` did not print /ok/'],
    [
      { run: 'x', prints: 'ok' },
      { stdout: 'no\n', isCut: true },
      '`x` did not print /ok/ (only the last megabyte was looked at)',
    ],
  ])('a command %j that answers otherwise is a gap', async (wish, printed, expected) => {
    const { result } = await run({ must_haves: { commands: [wish] } }, { prints: () => printed });
    expect(gapsIn(result)).toEqual([`x: ${expected}`]);
  });

  test('a command that is expected to fail, and does, holds', async () => {
    const failure = { code: 'command-failed', exitCode: 3 } as const;
    const { result } = await run(
      { must_haves: { commands: [{ run: 'x', exit: 3 }] } },
      { commandEnd: { ok: false, failure } },
    );
    expect(result).toMatchObject({ ok: true });
  });

  test('commits are counted in the history, by their subjects', async () => {
    const stdout = `${'1'.repeat(40)} feat(auto-a): one\n${'2'.repeat(40)} fix: two\n`;
    const wish = (more: object) => ({ must_haves: { commits: [{ subject: 'feat(auto-a)', ...more }] } });
    expect((await run(wish({}), { prints: () => ({ stdout }) })).result.ok).toBe(true);
    expect(gapsIn((await run(wish({ at_least: 2 }), { prints: () => ({ stdout }) })).result)).toEqual([
      '2 commits with "feat(auto-a)": 1 found',
    ]);
    const { effects } = await run(wish({ since: 'v1' }), { prints: () => ({ stdout }) });
    expect(effects[0]).toMatchObject({ run: ['git', 'log', '--no-merges', '--format=%H %s', 'v1..HEAD', '--'] });
  });

  test.each([
    ['', true],
    ['# just a title\n', true],
    ['export function a() {}\n', true],
    ['function a() {\n  // TODO: write\n  return null;\n}\n', true],
    ['"""Docs."""\nclass A:\n    pass\n', true],
    ['<!-- later -->\nplaceholder\n', true],
    ['- TODO\n- TBD\n', true],
    ['loss: 0.3\n', false],
    ['# Results\n\nThe loss is 0.3.\n', false],
    ['def a():\n    # TODO: faster\n    return 1\n', false],
    ['{"a": 1}\n', false],
  ])('%j: stub %s', (text, expected) => {
    expect(isStub(text)).toBe(expected);
  });
});

describe('statements in prose', () => {
  const options = { must_haves: { truths: ['It is fast', 'It is right'] } };
  const files = { 'src/model.py': model, 'SUMMARY.md': 'All done, it is fast and right.\n' };

  test('that nobody checks are gaps, whatever a summary says', async () => {
    const { result, report } = await run(options, { files });
    expect(gapsIn(result)).toEqual([
      'It is fast: nobody checks it: give it a command, or the stage an agent',
      'It is right: nobody checks it: give it a command, or the stage an agent',
    ]);
    expect(report).toContain('status: gaps_found\nscore: 0/2\n');
  });

  const first = { number: 1, holds: true, reason: 'ok', files: ['src/model.py'] };

  test.each([
    ['says nothing about one', [first], ['It is right: critic said nothing about it']],
    [
      'says no',
      [first, { number: 2, holds: false, reason: 'off by one', files: [] }],
      ['It is right: critic: off by one'],
    ],
    [
      'names no file',
      [first, { number: 2, holds: true, reason: 'ok', files: [] }],
      ['It is right: critic names no file in which it can be seen'],
    ],
    [
      'names a file that is not there, or a summary',
      [
        { ...first, files: ['src/other.py'] },
        { number: 2, holds: true, reason: 'ok', files: ['SUMMARY.md'] },
      ],
      [
        'It is fast: critic names no file in which it can be seen (src/other.py)',
        'It is right: critic names no file in which it can be seen (SUMMARY.md)',
      ],
    ],
  ])('an agent that %s', async (_name, results, expected) => {
    const given = { ...options, claims: ['SUMMARY.md'] };
    const { result } = await run(given, { files, agent: 'critic', answer: checked(results) });
    expect(gapsIn(result)).toEqual(expected);
  });

  test('an agent that is not there leaves them open, and what was found without it stands', async () => {
    const failure = { code: 'agent-failed', agent: 'critic', why: 'not-logged-in', detail: 'no key' } as const;
    const { result } = await run(
      { must_haves: { truths: ['It is fast'], artifacts: ['gone.py'] } },
      { agent: 'critic', answer: { ok: false, failure } },
    );
    expect(gapsIn(result)).toEqual(['gone.py: is not there', 'It is fast: nobody has checked it: critic: no key']);
  });

  test.each([
    { code: 'agent-reply-unusable', agent: 'critic', detail: 'x' },
    { code: 'agent-failed', agent: 'critic', why: 'crashed', detail: 'x' },
  ] as const)('$code is no answer', async (failure) => {
    const { result } = await run(options, { files, agent: 'critic', answer: { ok: false, failure } });
    expect(result).toEqual({ ok: false, failure });
  });

  test('the agent is told neither what a summary says nor to believe one', async () => {
    const { effects } = await run(options, { files, agent: 'critic' });
    const asked = effects.find(({ kind }) => kind === 'ask');
    expect(asked).toMatchObject({ wish: { reply: 'checklist', access: 'read' } });
    expect(JSON.stringify(asked)).not.toContain('All done');
    expect(JSON.stringify(asked)).toContain('is not evidence');
  });
});

describe('nothing to verify', () => {
  const none: MustHaves = { truths: [], artifacts: [], keyLinks: [] };

  test('is said before anything runs, where that can be known', () => {
    const problems = (options: Parameters<typeof verify.describe>[0], facts = {}) =>
      verify.describe(options, { ...plainFacts, outputs: ['VERIFICATION.md'], ...facts }).problems;
    expect(problems({})).toEqual(['there is nothing to verify: must_haves, or from']);
    expect(problems({ must_haves: {} })).toEqual(['there is nothing to verify: must_haves, or from']);
    expect(problems({ must_haves: { truths: [], artifacts: [] } })).toHaveLength(1);
    expect(problems({ must_haves: { truths: ['x'] } })).toBeUndefined();
    expect(problems({ from: ['PLAN.md'] })).toBeUndefined();
    expect(problems({ must_haves: { truths: ['x'] }, closure: 1 })).toEqual([
      'closure has no effect without retry.fix',
    ]);
    expect(problems({ must_haves: { truths: ['x'] } }, { outputs: [] })).toEqual([
      'add VERIFICATION.md to the outputs of the stage',
    ]);
  });

  test.each([
    [{}, {}, 'there are no must_haves, so nothing could be verified'],
    [{ from: ['PLAN.md'] }, { mustHaves: { 'PLAN.md': none } }, 'PLAN.md names no must_haves'],
    [
      { from: ['PLAN.md'], must_haves: { artifacts: ['a'] } },
      { mustHaves: { 'PLAN.md': none }, files: { a: 'x = 1' } },
      'PLAN.md names no must_haves',
    ],
    [{ from: ['PLAN.md'] }, {}, 'PLAN.md cannot be used: PLAN.md: wrong'],
    [{ from: ['*-PLAN.md'], must_haves: { artifacts: ['a'] } }, { files: { a: 'x = 1' } }, 'nothing fits *-PLAN.md'],
  ])('%j fails', async (options, world, detail) => {
    const { result, written } = await run(options, world as World);
    expect(result).toEqual({ ok: false, failure: { code: 'behaviour-failed', detail } });
    expect(written).toEqual([]);
  });
});

test('plans may be named by a glob, and each of them counts once', async () => {
  const wants = (path: string): MustHaves => ({ truths: [], artifacts: [{ path }], keyLinks: [] });
  const context = recordingContext({ mustHaves: { '1-PLAN.md': wants('a.py'), '2-PLAN.md': wants('b.py') } });
  const { listFiles } = context;
  context.listFiles = (patterns) => (patterns.includes('*-PLAN.md') ? ['1-PLAN.md', '2-PLAN.md'] : listFiles(patterns));
  expect(await verify.run({ from: ['*-PLAN.md', '1-PLAN.md'] }, context)).toMatchObject({
    failure: { gaps: ['a.py: is not there', 'b.py: is not there'] },
  });
});

describe('closing gaps', () => {
  const options = { must_haves: { artifacts: ['a.py'] } };

  test('is tried twice, then it fails; each time everything is looked at again', async () => {
    const { result, effects, written } = await run(options, { fixer: 'coder' });
    expect(effects.filter(({ kind }) => kind === 'mend')).toHaveLength(2);
    expect(written).toHaveLength(3);
    expect(result).toEqual({
      ok: false,
      failure: { code: 'gaps-found', score: '0/1', gaps: ['a.py: is not there'] },
    });
  });

  test('carries forward what is left where the config says so, in words that cannot be overlooked', async () => {
    const { result, report } = await run({ ...options, exhausted: 'carry', closure: 1 }, { fixer: 'coder' });
    expect(result).toEqual({
      ok: true,
      summary: 'gaps found, 0/1 after one round of closing gaps; carried forward: a.py: is not there',
      warnings: ['gap carried forward: a.py: is not there'],
    });
    expect(report).toContain(
      'status: gaps_found\nscore: 0/1\nstage: "stage"\nclosure_rounds: 1\ngaps:\n  - "a.py: is not there"\n',
    );
  });

  test.each([
    ['agent-escalated', { code: 'agent-escalated', agent: 'coder', reason: 'design', summary: 'no', files: [] }],
    ['scope-violated', { code: 'scope-violated', agent: 'coder', files: ['x'] }],
    ['cancelled', { code: 'cancelled', signal: 'SIGINT' }],
  ] as const)('%s ends it at once', async (_code, failure) => {
    const context = recordingContext({ fixer: 'coder' });
    let asked = 0;
    context.mend = async () => {
      asked += 1;
      return { ok: false, failure };
    };
    expect(await verify.run(options, context)).toEqual({ ok: false, failure });
    expect(asked).toBe(1);
  });

  test('must_haves are read once: asking for less closes nothing', async () => {
    const mustHaves: Record<string, MustHaves> = {
      'PLAN.md': { truths: [], artifacts: [{ path: 'a.py' }], keyLinks: [] },
    };
    const context = recordingContext({ fixer: 'coder', mustHaves, files: { 'b.py': 'b = 1' } });
    const { mend } = context;
    context.mend = (wish) => {
      mustHaves['PLAN.md'] = { truths: [], artifacts: [{ path: 'b.py' }], keyLinks: [] };
      return mend(wish);
    };
    expect(await verify.run({ from: ['PLAN.md'] }, context)).toMatchObject({
      failure: { gaps: ['a.py: is not there'] },
    });
  });

  test('a table that somebody else wrote cannot be broken out of', async () => {
    const evil = 'x | ✓ |\n| ✓ | truth | all | fine';
    const { report } = await run({ must_haves: { truths: [evil] } });
    expect(report.split('\n').filter((line) => line.startsWith('|'))).toHaveLength(3);
    expect(report).toContain('x \\| ✓ \\| \\| ✓ \\| truth \\| all \\| fine');
  });
});
