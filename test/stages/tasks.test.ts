import type { AgentEnd, JsonObject, PrintedEnd, TaskItem, TaskPart } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { renderText } from '../../src/adapters/behaviours/render-text.js';
import tasks from '../../stages/tasks/index.js';
import { sha256 } from '../support/sha256.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';

const done = (reply: JsonObject = {}, files: readonly string[] = ['src/a.py']): AgentEnd<never> =>
  ({ ok: true, reply: { outcome: 'done', summary: 'did it', files: [], ...reply }, files }) as AgentEnd<never>;

const item: TaskItem = {
  id: 'T1',
  title: 'Write the loader',
  description: 'Reads the data.',
  dependsOn: [],
  files: ['src/a.py'],
  verify: ['pytest -q'],
  criteria: ['readable'],
  steps: [{ name: 'Parse', type: 'auto', action: 'Parse it.', files: ['src/a.py'], verify: [], criteria: [] }],
  mustHaves: {
    truths: ['rows are read once'],
    artifacts: [{ path: 'src/a.py', contains: 'def load' }],
    keyLinks: [{ from: 'src/a.py', to: 'src/b.py', pattern: 'load\\(' }],
  },
  autonomous: true,
  file: 'design/tasks.yaml',
  summary: 'design/T1-SUMMARY.md',
};

const of = (part: TaskPart, own: World = {}): World => ({
  agent: 'coder',
  render: (text) => text,
  ...own,
  facts: { ...own.facts, part },
});

const options = { from: 'design/tasks.yaml' };

stageContract('tasks', {
  examples: [{ options, world: of({ kind: 'list', tasks: 1 }) }],
  refused: [
    {},
    { from: '' },
    { from: [] },
    { from: 'x', helpers: 17 },
    { from: 'x', verify: '' },
    { from: 'x', agent: 'y' },
  ],
});

describe('one task', () => {
  const code = { 'src/a.py': 'def load(): return 1\n', 'src/b.py': 'load()\n' };
  const run = (own: World = {}) => {
    const context = recordingContext(
      of({ kind: 'item', item, isolated: false }, { answer: done(), files: code, ...own }),
    );
    return { context, end: tasks.run(options, context) };
  };

  test('is asked for, checked and summed up, in this order', async () => {
    const { context, end } = run();
    expect(await end).toEqual({ ok: true, summary: 'did it' });
    expect(context.effects.map(({ kind }) => kind).filter((kind) => kind !== 'render' && kind !== 'read')).toEqual([
      'ask',
      'log',
      'command',
      'write',
    ]);
  });

  test('is summed up by what its files hold, also those that it did not have to touch again', async () => {
    const summary = async (files: Record<string, string>) => {
      const context = recordingContext(
        of({ kind: 'item', item, isolated: false }, { answer: done({}, []), files: { ...code, ...files } }),
      );
      expect(await tasks.run(options, context)).toMatchObject({ ok: true });
      return context.effects.find((effect) => effect.kind === 'write')!.content;
    };
    expect(await summary({})).toContain(`- \`src/a.py\` ${sha256(code['src/a.py']!).slice(0, 16)}\n`);
    expect(await summary({ 'src/a.py': `${code['src/a.py']}# other\n` })).not.toBe(await summary({}));
  });

  test('tells its agent everything that the file says', async () => {
    const context = recordingContext(of({ kind: 'item', item, isolated: false }, { answer: done(), files: code }));
    const rendering = { ...context, render: (text: string, data: JsonObject) => renderText(text, data) };
    await tasks.run({ ...options, instructions: 'Mind the tabs.' }, rendering);
    const asked = context.effects.find((effect) => effect.kind === 'ask')!.wish.prompt;
    for (const words of [
      'Write the loader',
      'Reads the data.',
      'Parse it.',
      'rows are read once',
      'src/a.py → src/b.py',
      'readable',
      'pytest -q',
      'Mind the tabs.',
      'def load',
    ])
      expect(asked).toContain(words);
  });

  test.each([
    [
      'a check that fails',
      { commandEnd: { ok: false, failure: { code: 'command-failed', exitCode: 1 } } },
      { code: 'command-failed', exitCode: 1 },
    ],
    [
      'nothing there',
      { files: {} },
      {
        code: 'behaviour-failed',
        detail: 'must have, and has not: src/a.py: is not there; src/a.py → src/b.py: src/a.py is not there',
      },
    ],
    [
      'an empty file',
      { files: { ...code, 'src/a.py': ' \n' } },
      {
        code: 'behaviour-failed',
        detail:
          'must have, and has not: src/a.py: src/a.py holds nothing but blanks; src/a.py → src/b.py: /load\\(/ is not found in src/a.py',
      },
    ],
    [
      'a stub',
      { files: { ...code, 'src/a.py': 'def load():\n    pass\n' } },
      {
        code: 'behaviour-failed',
        detail: 'must have, and has not: src/a.py: src/a.py is a stub: nothing in it does anything',
      },
    ],
  ] as const)('%s is no result, and leaves no summary', async (_, own, failure) => {
    const { context, end } = run(own as World);
    expect(await end).toEqual({ ok: false, failure });
    expect(context.effects.filter(({ kind }) => kind === 'write')).toEqual([]);
  });

  test('that nobody can check needs a changed file', async () => {
    const bare = { ...item, verify: [], mustHaves: { truths: [], artifacts: [], keyLinks: [] } };
    const end = await tasks.run(
      options,
      recordingContext(of({ kind: 'item', item: bare, isolated: false }, { answer: done({}, []) })),
    );
    expect(end).toMatchObject({ ok: false, failure: { detail: expect.stringContaining('no file has changed') } });
  });

  test('is checked again, and not asked again, when others have merged', async () => {
    const context = recordingContext(of({ kind: 'item', item, isolated: false }, { files: code }));
    expect(await tasks.recheck!(options, context)).toEqual({ ok: true });
    expect(context.effects.some(({ kind }) => kind === 'ask')).toBe(false);
    expect(context.effects).toContainEqual({ kind: 'command', run: 'pytest -q' });
  });
});

describe('all tasks together', () => {
  const items = [{ id: 'T1', files: ['src/**'], summary: 'design/T1-SUMMARY.md' }];
  const good = { 'design/T1-SUMMARY.md': '---\nstatus: complete\n---\n' };
  const git =
    (commit: string, files: string) =>
    (run: string | readonly string[]): Partial<PrintedEnd> => ({ stdout: run.includes('log') ? commit : files });
  const look = (own: World, isolated = true) =>
    tasks.run({ ...options, verify: 'make test' }, recordingContext(of({ kind: 'whole', items, isolated }, own)));
  const detail = (text: string) => ({ ok: false, failure: { code: 'behaviour-failed', detail: text } });

  test('pass when each left a summary, and a commit that changed only its files', async () => {
    const prints = git('abcdef0123456\n', 'design/T1-SUMMARY.md\nsrc/a.py\n');
    expect(await look({ files: good, prints })).toEqual({ ok: true, summary: 'one task done' });
  });

  test.each([
    ['no summary', { files: {} }, 'T1: there is no design/T1-SUMMARY.md'],
    [
      'one that does not say so',
      { files: { 'design/T1-SUMMARY.md': 'status: partial\n' } },
      'T1: design/T1-SUMMARY.md does not say that it is complete',
    ],
    ['no commit', { files: good, prints: git('\n', '') }, 'T1: no commit has brought design/T1-SUMMARY.md'],
    [
      'more than was declared',
      { files: good, prints: git('abcdef0123456\n', 'src/a.py\neval/score.py\n') },
      'T1: commit abcdef012345 changed eval/score.py, which the task had not declared',
    ],
  ])('%s', async (_, own, words) => {
    expect(await look(own)).toEqual(detail(words));
  });

  test('zero tasks are no result', async () => {
    const end = await tasks.run(options, recordingContext(of({ kind: 'whole', items: [], isolated: true })));
    expect(end).toEqual(detail('there are no tasks'));
  });

  test('the checks of the stage decide at the end', async () => {
    const failure = { code: 'command-failed', exitCode: 2 } as const;
    const prints = git('abcdef0123456\n', 'src/a.py\n');
    expect(await look({ files: good, prints, commandEnd: { ok: false, failure } })).toMatchObject({ ok: false });
  });
});

test('a list says how many tasks it has, or that it waits for its file', () => {
  const facts = (part: TaskPart) => ({ ...plainFacts, part });
  expect(tasks.describe(options, facts({ kind: 'list', tasks: 3 })).summary).toBe('reads design/tasks.yaml: 3 tasks');
  expect(tasks.describe(options, facts({ kind: 'list' })).summary).toBe(
    'reads design/tasks.yaml; its tasks are planned when it is there',
  );
});
