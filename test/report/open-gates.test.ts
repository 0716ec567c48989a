import { describe, expect, test } from 'vitest';
import { openGates } from '../../src/report/dashboard/views.js';
import type { RunFacts } from '../../src/report/history/run-facts.js';
import { exit, inTurn, passed } from '../support/attempts.js';
import { planOf, RunRig } from '../support/run-rig.js';

const factsOf = ({ replayed: state, entries }: RunRig): RunFacts => ({
  state,
  entries,
  files: new Map(),
  tables: new Map(),
  toRoot: '',
});

const buttons = (text: string): string[] =>
  [...text.matchAll(/value="(\w+)">([^<]+)</g)].map(([, is, word]) => `${is} ${word}`);

describe('questions in the dashboard', () => {
  test('whoever is asked for words can only give some, and nobody is once the task is tried without them', async () => {
    const rig = new RunRig();
    rig.work = inTurn(exit(3), passed);
    await rig.run(planOf([{ id: 'a' }]), { escalate: ['instructions'] });
    expect(buttons(openGates(factsOf(rig), false))).toEqual(['revise Give instructions']);
    expect(await rig.run(planOf([{ id: 'a', options: { run: 'other' } }]), { escalate: ['instructions'] })).toBe(
      'passed',
    );
    expect(openGates(factsOf(rig), false)).toBe('');
  });

  test('a gate can be answered in all its ways', async () => {
    const rig = new RunRig();
    await rig.run(planOf([{ id: 'a', gate: 'human' }]));
    expect(buttons(openGates(factsOf(rig), false))).toEqual(['pass Approve', 'revise Revise', 'reject Reject']);
    expect(buttons(openGates(factsOf(rig), true))).toEqual([]);
  });
});
