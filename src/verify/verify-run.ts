import type { Check, Verification } from '../model/gates/check.js';
import type { CheckModule, RunEvidence } from './evidence.js';
import { inputChecks, outputChecks, protectedChecks } from './file-checks.js';
import { gateChecks } from './gate-checks.js';
import { iterationChecks } from './iteration-checks.js';
import { endChecks, journalChecks } from './journal-checks.js';
import { keptChecks } from './kept-checks.js';
import { parityChecks } from './parity-checks.js';
import { planChecks, taskChecks } from './plan-checks.js';
import { ledgerChecks, logChecks } from './record-checks.js';
import { reportChecks } from './report-checks.js';
import { sourceChecks } from './source-checks.js';

/** Every question that is asked of a run, in the order in which people read the answers. A new one is a new line here. */
const modules: readonly CheckModule[] = [
  journalChecks,
  endChecks,
  planChecks,
  taskChecks,
  outputChecks,
  inputChecks,
  sourceChecks,
  parityChecks,
  protectedChecks,
  gateChecks,
  ledgerChecks,
  logChecks,
  keptChecks,
  reportChecks,
  iterationChecks,
];

/** Re-checks a run from what it left behind. Reads, and changes nothing. */
export async function verifyRun(evidence: RunEvidence): Promise<Verification> {
  const isGoingOn = evidence.state.outcome === 'running' && evidence.isLive;
  const checks: Check[] = [];
  // What is still being written cannot be compared with anything.
  for (const module of isGoingOn ? [journalChecks, endChecks] : modules) checks.push(...(await module(evidence)));
  return verification(evidence.run, checks);
}

/** Nothing that was looked at is nothing that was found to be right. */
export function verification(run: string, checks: readonly Check[]): Verification {
  if (checks.length === 0) throw new Error('a verification without checks says nothing');
  if (checks.some(({ isTampered }) => isTampered)) return { run, outcome: 'violated', checks };
  return { run, outcome: checks.every(({ status }) => status === 'passed') ? 'passed' : 'failed', checks };
}
