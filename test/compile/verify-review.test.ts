import { expect, test } from 'vitest';
import { codesOf, planOf, type Study } from './study.js';

const verified = (more: object = {}): Study => ({
  agents: { critic: { backend: 'codex', limits: { usd: 1 } }, coder: { backend: 'claude', limits: { usd: 2 } } },
  stages: {
    check: {
      uses: 'verify',
      agent: 'critic',
      with: { must_haves: { artifacts: ['src/model.py'], truths: ['It is right'] } },
      outputs: ['VERIFICATION.md'],
      ...more,
    },
    make: { outputs: ['src/model.py'] },
  },
});

test('what it looks at need not be there, but whoever makes it comes first', async () => {
  const { tasks, waves } = await planOf(verified());
  expect(waves).toEqual([['make'], ['check']]);
  expect(tasks.find(({ id }) => id === 'check')).toMatchObject({
    needs: ['make'],
    inferred: [{ task: 'make', via: 'src/model.py' }],
    cache: false,
    inputs: [],
  });
});

test('it runs each time unless the stage says otherwise', async () => {
  const { tasks } = await planOf(verified({ cache: true }));
  expect(tasks.find(({ id }) => id === 'check')?.cache).toBe(true);
});

test('the worst case counts every look and every round of mending', async () => {
  const once = (await planOf(verified())).worstCase;
  expect({ calls: once.agentCalls, usd: once.usd }).toEqual({ calls: 3, usd: 3 });
  const { agentCalls, usd } = (await planOf(verified({ retry: { attempts: 2, total: 2, fix: 'coder' } }))).worstCase;
  // Two tries of three looks each, and of two rounds each, besides the one between them; each may be asked for thrice.
  expect({ agentCalls, usd }).toEqual({ agentCalls: 3 * (6 + 5), usd: 3 * (6 * 1 + 5 * 2) });
});

test.each([
  ['verify', { must_haves: { truths: ['It is right'] } }, 'VERIFICATION.md'],
  ['review', { goal: 'goal.md', plan: ['PLAN.md'], summary: ['SUMMARY.md'] }, 'REVIEW.md'],
])('%s: whoever judges is of another family than whoever mends', async (uses, options, output) => {
  const study = (backend: 'codex' | 'claude'): Study => ({
    agents: { critic: { backend: 'codex' }, coder: { backend } },
    stages: {
      check: { uses, agent: 'critic', with: options, outputs: [output], retry: { attempts: 2, fix: 'coder' } },
    },
  });
  expect(await codesOf(study('codex'))).toEqual(['AR320']);
  await planOf(study('claude'));
});

test('an agent that would have nothing to judge is a mistake', async () => {
  const study = verified({ with: { must_haves: { artifacts: ['src/model.py'] } } });
  expect(await codesOf(study)).toEqual(['AR323']);
});
