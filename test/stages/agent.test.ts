import type { AgentEnd, JsonObject, StageFacts } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { renderText } from '../../src/adapters/behaviours/render-text.js';
import agent from '../../stages/agent/index.js';
import type { AgentOptions } from '../../stages/agent/options.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';

const done = (reply: JsonObject = {}, files: readonly string[] = ['src/a.py']): AgentEnd<never> =>
  ({ ok: true, reply: { outcome: 'done', summary: 'did it', files: [], ...reply }, files }) as AgentEnd<never>;
const verdict = (is: string): AgentEnd<never> =>
  ({ ok: true, reply: { verdict: is, reasons: ['a.py:3 is off by one'] }, files: [] }) as unknown as AgentEnd<never>;

const world = (own: World): World => ({ render: (text) => text, agent: 'coder', ...own });

stageContract('agent', {
  examples: [
    { options: { instructions: 'write it', verify: 'pytest -q' }, world: world({ answer: done() }) },
    {
      options: { kind: 'analyze', instructions: 'why?', to: 'why.md' },
      world: world({ answer: done({ notes: 'so' }, []) }),
    },
    {
      options: { kind: 'review', criteria: ['tests pass'], to: 'review.json' },
      world: world({ answer: verdict('pass') }),
    },
  ],
  refused: [
    { kind: 'invent' },
    { instructions: '' },
    { instructions: 'x', helpers: -1 },
    { instructions: 'x', helpers: 1.5 },
    { instructions: 'x', verify: [] },
    { instructions: 'x', prompt: 'y' },
    { kind: 'review', criteria: [] },
  ],
});

const run = (options: AgentOptions, own: World) => agent.run(options, recordingContext(world(own)));

describe('what counts as done', () => {
  test('changed files and commands that pass', async () => {
    expect(await run({ instructions: 'x', verify: ['true', 'pytest'] }, { answer: done() })).toEqual({
      ok: true,
      summary: 'did it',
    });
  });

  test('"done" without a changed file is not', async () => {
    expect(await run({ instructions: 'x' }, { answer: done({}, []) })).toEqual({
      ok: false,
      failure: { code: 'behaviour-failed', detail: 'the agent says that it is done, but no file has changed' },
    });
  });

  test('where outputs are declared the runner looks at those', async () => {
    expect(await run({ instructions: 'x' }, { answer: done({}, []), facts: { outputs: ['a.txt'] } })).toMatchObject({
      ok: true,
    });
  });

  test('a failing verify command fails it, whatever the agent says', async () => {
    const failure = { code: 'command-failed', exitCode: 1 } as const;
    const context = recordingContext(world({ answer: done(), commandEnd: { ok: false, failure } }));
    expect(await agent.run({ kind: 'debug', instructions: 'x', verify: ['first', 'second'] }, context)).toEqual({
      ok: false,
      failure,
    });
    expect(context.effects.filter(({ kind }) => kind === 'command')).toEqual([{ kind: 'command', run: 'first' }]);
  });

  test('a failure of the agent is passed on', async () => {
    const failure = { code: 'agent-gave-up', agent: 'coder', summary: 'no' } as const;
    expect(await run({ instructions: 'x' }, { answer: { ok: false, failure } })).toEqual({ ok: false, failure });
  });

  test('an analysis is what stands in the notes, and the runner writes it', async () => {
    const context = recordingContext(world({ answer: done({ notes: '# Why\n' }, []) }));
    await agent.run({ kind: 'analyze', instructions: 'why?', to: 'why.md' }, context);
    expect(context.effects).toContainEqual({ kind: 'write', path: 'why.md', content: '# Why\n' });
    expect(context.effects.find(({ kind }) => kind === 'ask')).toMatchObject({
      wish: { access: 'read', reply: 'work' },
    });
    expect(await run({ kind: 'analyze', instructions: 'why?', to: 'why.md' }, { answer: done({}, []) })).toMatchObject({
      ok: false,
    });
  });

  test.each(['revise', 'reject'])('a review that says %s is a failure, and is kept', async (is) => {
    const context = recordingContext(world({ answer: verdict(is), agent: 'critic' }));
    expect(await agent.run({ kind: 'review', criteria: ['x'], to: 'review.json' }, context)).toEqual({
      ok: false,
      failure: { code: 'review-failed', agent: 'critic', verdict: is, reasons: ['a.py:3 is off by one'] },
    });
    expect(context.effects.find(({ kind }) => kind === 'write')).toMatchObject({ path: 'review.json' });
    expect(context.effects.find(({ kind }) => kind === 'ask')).toMatchObject({
      wish: { access: 'read', reply: 'review' },
    });
  });
});

describe('options that do not go together', () => {
  const problems = (options: AgentOptions, facts: Partial<StageFacts> = {}) =>
    agent.describe(options, { ...plainFacts, outputs: ['made'], ...facts }).problems ?? [];

  test.each<[AgentOptions, string]>([
    [{}, 'say what is to be done: instructions, or a template'],
    [{ instructions: 'x' }, 'say what can be checked when it is done: outputs, or verify'],
    [{ instructions: 'x', data: {} }, 'data has no effect without a template'],
    [{ kind: 'debug', instructions: 'x' }, 'a stage that debugs needs verify: the command that has to pass'],
    [
      { kind: 'extract', instructions: 'x' },
      'a stage of the kind extract needs outputs: the files that have to be there afterwards',
    ],
    [
      { kind: 'train', instructions: 'x' },
      'a stage of the kind train needs outputs: the files that have to be there afterwards',
    ],
    [
      { kind: 'analyze', instructions: 'x' },
      'a stage of the kind analyze needs to: the file that the answer is written to',
    ],
    [{ instructions: 'x', to: 'a' }, 'to has no effect for the kind implement'],
    [
      { kind: 'analyze', instructions: 'x', to: 'a', verify: 'x' },
      'verify has no effect for the kind analyze: nothing is changed',
    ],
    [{ kind: 'review', to: 'a' }, 'a review needs criteria: what is asked of the work'],
    [{ instructions: 'x', criteria: ['a'] }, 'criteria have no effect for the kind implement'],
    [{ instructions: 'x', of: ['a'] }, 'of has no effect for the kind implement'],
    [{ kind: 'review', criteria: ['a'], to: 'a', helpers: 1 }, 'helpers have no effect for a review'],
  ])('%j', (options, problem) => {
    const needsOutputs = problem.includes('needs outputs') || problem.includes('can be checked');
    expect(problems(options, needsOutputs ? { outputs: [] } : {})).toEqual([problem]);
  });

  test('a scope where nothing may be changed', () => {
    expect(problems({ kind: 'review', criteria: ['a'], to: 'a' }, { scope: ['src/**'] })).toEqual([
      'scope has no effect for the kind review: nothing may be changed',
    ]);
  });

  test('none where they do', () => {
    expect(problems({ kind: 'extract', instructions: 'x' }, { outputs: ['r.json'] })).toEqual([]);
  });
});

describe('the prompt', () => {
  const promptOf = async (options: AgentOptions, own: World = {}): Promise<string> => {
    const context = recordingContext({ render: undefined, answer: done(), ...own } as World);
    await agent.run(options, { ...context, render: renderText });
    const asked = context.effects.find((effect) => effect.kind === 'ask');
    return asked!.wish.prompt;
  };

  test('of each kind, with nothing else', async () => {
    const kinds = ['implement', 'debug', 'train', 'extract', 'analyze'] as const;
    const texts = await Promise.all(kinds.map((kind) => promptOf({ kind, instructions: 'Do it.', to: 'x' })));
    const review = await promptOf(
      { kind: 'review', criteria: ['All tests pass'], to: 'x' },
      { answer: verdict('pass') },
    );
    await expect([...texts, review].join('\n----\n')).toMatchFileSnapshot('../golden/prompts/kinds.md');
  });

  test('with everything', async () => {
    const text = await promptOf(
      {
        instructions: 'Write the model.\nUse {{braces}} as they are.',
        verify: ['pytest -q', 'ruff check'],
        helpers: 3,
      },
      {
        files: { 'AGENTS.md': '# Style\nTabs.\n', 'design/plan.md': 'x' },
        facts: { inputs: ['design/plan.md'], outputs: ['src/model.py'], scope: ['src/**', 'tests/**'] },
        trouble: { attempt: 1, what: 'exited with code 1', errorClass: 'x', lines: ['E   assert 1 == 2', '<b>'] },
        feedback: 'Please use a smaller model.',
      },
    );
    await expect(text).toMatchFileSnapshot('../golden/prompts/whole.md');
  });

  test('of a template of the user', async () => {
    const files = { 'mine.hbs': '{{who}}: {{instructions}} ({{kind}}, {{attempt}}){{#if trouble}} again{{/if}}' };
    expect(await promptOf({ template: 'mine.hbs', instructions: 'go', data: { who: 'you' } }, { files })).toBe(
      'you: go (implement, 1)',
    );
    await expect(promptOf({ template: 'mine.hbs', data: { who: 'you', kind: 'x' } }, { files })).rejects.toThrow(
      'data names kind, which the runner gives itself',
    );
    await expect(promptOf({ template: 'mine.hbs' }, { files })).rejects.toThrow(/who/);
  });
});
