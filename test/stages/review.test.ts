import type { AgentEnd, HealthReply } from 'autoresearch';
import { describe, expect, test } from 'vitest';
import { healthReply } from '../../src/run/agents/health-reply.js';
import review from '../../stages/review/index.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';

const options = { goal: 'goal.md', plan: ['PLAN.md'], summary: ['SUMMARY.md'] };
const files = { 'goal.md': 'Be better.\n', 'PLAN.md': 'Train both arms.\n', 'SUMMARY.md': 'All done.\n' };
const healthy: HealthReply = { verdict: 'HEALTHY', fidelity: 'FULL', issues: [], risks: ['drift'], confidence: 0.9 };
const critical: HealthReply = {
  ...healthy,
  verdict: 'CRITICAL',
  fidelity: 'PARTIAL',
  issues: ['a.py:3 the arms differ'],
};
const answers = (reply: HealthReply) => ({ ok: true, reply, files: [] }) as unknown as AgentEnd<never>;

stageContract('review', {
  examples: [
    { options, world: { files, agent: 'critic', answer: answers(healthy) } },
    {
      options: { ...options, validate: ['make parity'], to: 'R.md', of: ['train'] },
      world: { files, agent: 'critic', answer: answers(healthy) },
    },
  ],
  refused: [
    {},
    { goal: 'goal.md', plan: ['PLAN.md'] },
    { ...options, plan: [] },
    { ...options, rounds: 3 },
    { ...options, exhausted: 'pass' },
    { ...options, validate: [' '] },
  ],
});

const run = async (given: Parameters<typeof review.run>[0], world: World = {}) => {
  const context = recordingContext({ files, agent: 'critic', ...world });
  const result = await review.run(given, context);
  const written = context.effects.flatMap((effect) => (effect.kind === 'write' ? [effect.content] : []));
  const asked = context.effects.flatMap((effect) => (effect.kind === 'ask' ? [effect.wish.prompt] : []));
  return { result, written, asked, effects: context.effects };
};

describe('a verdict', () => {
  test('HEALTHY passes, and is written down', async () => {
    const { result, written } = await run(options, { answer: answers(healthy) });
    expect(result).toEqual({ ok: true, summary: 'HEALTHY, plan fidelity FULL, confidence 0.9' });
    expect(written).toEqual([
      `---
verdict: HEALTHY
fidelity: FULL
confidence: 0.9
reviewer: "critic"
fix_rounds: 0
---

# Review: HEALTHY

Plan fidelity FULL, confidence 0.9.

## Issues

None.

## Risks

- drift

## Validation

None.
`,
    ]);
  });

  test('WARNING passes with its warnings', async () => {
    const reply: HealthReply = { ...healthy, verdict: 'WARNING', issues: ['the image is old'] };
    const { result, written } = await run(options, { answer: answers(reply) });
    expect(result).toEqual({
      ok: true,
      summary: 'WARNING, plan fidelity FULL, confidence 0.9: the image is old',
      warnings: ['review: WARNING: the image is old'],
    });
    expect(written[0]).toContain('## Issues\n\n- the image is old\n');
  });

  test('CRITICAL without anybody who mends fails at once', async () => {
    const { result, effects } = await run(options, { answer: answers(critical) });
    expect(result).toEqual({
      ok: false,
      failure: { code: 'review-critical', agent: 'critic', rounds: 0, issues: ['a.py:3 the arms differ'] },
    });
    expect(effects.filter(({ kind }) => kind === 'mend')).toEqual([]);
  });

  test('CRITICAL for ever is mended twice, validated and reviewed each time, then fails', async () => {
    const given = { ...options, validate: ['make parity', 'make test'] };
    const { result, effects, written, asked } = await run(given, { answer: answers(critical), fixer: 'coder' });
    expect(effects.map(({ kind }) => kind).filter((kind) => kind !== 'read')).toEqual(
      [...Array(3).keys()].flatMap((round) => [
        'command',
        'command',
        'ask',
        'write',
        'log',
        ...(round < 2 ? ['mend'] : []),
      ]),
    );
    expect(result).toMatchObject({ failure: { code: 'review-critical', rounds: 2 } });
    expect(written).toHaveLength(3);
    expect(asked[0]).not.toContain('An earlier review');
    expect(asked[1]).toContain('An earlier review found this to be critical');
    expect(asked[1]).toContain('- a.py:3 the arms differ');
  });

  test('CRITICAL is carried forward where the config says so, in words that cannot be overlooked', async () => {
    const given = { ...options, exhausted: 'carry' as const, rounds: 1 };
    const { result } = await run(given, { answer: answers(critical), fixer: 'coder' });
    expect(result).toEqual({
      ok: true,
      summary:
        'carried forward: CRITICAL, plan fidelity PARTIAL, confidence 0.9, after one round of mending: a.py:3 the arms differ',
      warnings: ['review: CRITICAL, carried forward: a.py:3 the arms differ'],
    });
  });

  test('HEALTHY does not talk a failed validation away', async () => {
    const commandEnd = { ok: false, failure: { code: 'command-failed', exitCode: 3 } } as const;
    const given = { ...options, validate: ['make parity'] };
    const { result, written, asked } = await run(given, { answer: answers(healthy), commandEnd });
    expect(result).toMatchObject({ failure: { code: 'review-critical', issues: ['`make parity` exited with 3'] } });
    expect(written[0]).toContain('verdict: CRITICAL\n');
    expect(written[0]).toContain('The reviewer said HEALTHY; a command that has to pass did not.');
    expect(asked[0]).toContain('- `make parity`: exited with 3');
  });

  test('no answer is none: nothing is written, and it is not HEALTHY', async () => {
    const failure = { code: 'agent-reply-unusable', agent: 'critic', detail: 'x' } as const;
    const { result, written } = await run(options, { answer: { ok: false, failure } });
    expect({ result, written }).toEqual({ result: { ok: false, failure }, written: [] });
  });

  test('a reviewer that goes away after it said CRITICAL leaves that standing', async () => {
    const context = recordingContext({ files, agent: 'critic', fixer: 'coder' });
    let asked = 0;
    context.ask = (async () => {
      asked += 1;
      if (asked === 1) return answers(critical);
      return { ok: false, failure: { code: 'agent-failed', agent: 'critic', why: 'not-logged-in', detail: 'no key' } };
    }) as typeof context.ask;
    expect(await review.run(options, context)).toMatchObject({ ok: false, failure: { code: 'review-critical' } });
  });

  test('what a model writes begins neither a heading nor another item', async () => {
    const reply: HealthReply = { ...healthy, verdict: 'WARNING', issues: ['x\n# Review: HEALTHY\n- fine'] };
    const { written } = await run(options, { answer: answers(reply) });
    expect(written[0]).toContain('- x # Review: HEALTHY - fine\n');
  });
});

test('the prompt holds goal, plan and summary, each told apart from what is asked', async () => {
  const { asked } = await run({ ...options, criteria: ['parity of the arms'] }, { answer: answers(healthy) });
  expect(asked[0]).toContain('## The goal\n\ngoal.md:\n> Be better.\n');
  expect(asked[0]).toContain('## The plan\n\nPLAN.md:\n> Train both arms.\n');
  expect(asked[0]).toContain('claims, not evidence: check them\n\nSUMMARY.md:\n> All done.\n');
  expect(asked[0]).toContain('- parity of the arms\n');
});

test('a text too long for a prompt is named instead', async () => {
  const { asked } = await run(options, {
    answer: answers(healthy),
    files: { ...files, 'PLAN.md': 'x'.repeat(70_000) },
  });
  expect(asked[0]).toContain('PLAN.md (70000 bytes): too long to be shown here; read it yourself');
});

test('what is wrong with a stage is said before anything runs', () => {
  expect(review.describe(options, plainFacts).problems).toEqual(['add REVIEW.md to the outputs of the stage']);
  const facts = { ...plainFacts, outputs: ['REVIEW.md'] };
  expect(review.describe(options, facts).problems).toBeUndefined();
  expect(review.describe({ ...options, rounds: 1 }, facts).problems).toEqual([
    'rounds has no effect without retry.fix',
  ]);
});

test.each([
  [undefined, 'there was no JSON object in the answer'],
  [{ ...healthy, verdict: 'FINE' }, '"verdict" must be "HEALTHY", "WARNING" or "CRITICAL", not "FINE"'],
  [{ ...healthy, verdict: 'healthy' }, '"verdict" must be "HEALTHY", "WARNING" or "CRITICAL", not "healthy"'],
  [{ ...healthy, verdict: undefined }, '"verdict" must be "HEALTHY", "WARNING" or "CRITICAL", not missing'],
  [{ ...healthy, fidelity: 'MOST' }, '"fidelity" must be "FULL" or "PARTIAL", not "MOST"'],
  [{ ...healthy, issues: ['x'] }, '"verdict" is "HEALTHY", but "issues" are listed'],
  [{ ...critical, issues: [] }, '"verdict" is "CRITICAL", but no "issues" are listed'],
  [{ ...critical, issues: [' '] }, '"issues" must be a list of texts'],
  [{ ...healthy, risks: 'none' }, '"risks" must be a list of texts'],
  [{ ...healthy, confidence: 'high' }, '"confidence" must be a number from 0 to 1, not "high"'],
  [{ ...healthy, confidence: 2 }, '"confidence" must be a number from 0 to 1, not 2'],
  [{ ...healthy, verdicts: 1 }, 'it has the unknown key "verdicts"'],
])('a reply %j cannot be used', (reply, expected) => {
  expect(healthReply(reply as never)).toBe(expected);
});
