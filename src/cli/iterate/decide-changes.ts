import { join } from 'node:path';
import { writeDurable } from '../../adapters/disk/durable-file.js';
import type { IterationCheckout } from '../../adapters/iteration/iteration-checkout.js';
import { worktreeBranch } from '../../adapters/worktree/worktree-names.js';
import type { IterationDecided } from '../../model/events/iteration-event.js';
import type { OpenIteration, SeriesState } from '../../model/state/iteration-state.js';
import { oneLine } from '../../report/iterations/insights-text.js';
import { judgeIteration } from '../../run/iterate/judge-iteration.js';
import { changesOnlySeed } from '../../run/iterate/only-seed.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import { branchOf } from './loop-branch.js';

export interface DecideTools {
  readonly rules: IterateRules;
  /** The state folder. */
  readonly dir: string;
  readonly checkout: IterationCheckout;
  /** What of the files is not what the run of the iteration measured, in words. */
  unmeasured?(run: string): Promise<string | undefined>;
  readonly agentId: string;
}

/** What was changed has a branch and a file before the decision is written down, and the decision before anything is put back. */
export async function decideChanges(state: SeriesState, tools: DecideTools): Promise<IterationDecided> {
  const { number, measured, base, startedAt, folders } = state.open as OpenIteration;
  const { checkout, rules, dir, agentId } = tools;
  const message = messageOf(state);
  const changed = await checkout.changedSince(base!, { message, at: startedAt });
  const judged = judgeIteration(state, measured!, {
    rules,
    changed: {
      files: changed.changed.length,
      onlySeed: changesOnlySeed(changed.patch.toString('utf8')),
      link: changed.links.map(linkWords)[0],
      unmeasured: await tools.unmeasured?.(measured!.run),
    },
  });
  // A baseline changes nothing: what it left behind is not what was measured.
  const verdict = number === 0 ? 'discarded' : judged.verdict;
  // None of them was measured, and no commit has any: those that were there before are there again.
  const decided = { type: 'iteration-decided', number, ...judged, ...(folders ? { folders } : {}) } as const;
  const branch = branchOf(state, agentId);
  if (changed.files.length === 0) {
    if (number > 0) await checkout.name(branch, changed.snapshot);
    return { ...decided, ...(number > 0 ? { made: { branch, commit: changed.snapshot } } : {}) };
  }
  const patch = join('iterations', String(state.series), String(number), 'changes.patch');
  const patchDigest = writeDurable(join(dir, patch), changed.patch);
  const secured = await checkout.secure(changed, base!, { branch, message, at: startedAt, verdict });
  return { ...decided, changes: { ...secured, patch, patchDigest } };
}

const linkWords = ({ file, target }: { readonly file: string; readonly target: string }): string =>
  `${file} became a link to ${target}, which is not a file of the loop: what is there could be exchanged at any time`;

/** On a branch of its own first; then as the iteration found it. Again after a crash it does what is left to do. */
export async function undoChanges({ open, series }: SeriesState, { checkout, agentId }: DecideTools): Promise<void> {
  const { number, base, startedAt } = open!;
  if (base === undefined) return;
  const message = `Iteration ${number}, broken off\n\nseries ${series}`;
  const changed = await checkout.changedSince(base, { message, at: startedAt });
  if (changed.files.length === 0) return;
  const branch = worktreeBranch({ agent: agentId, iteration: number, stage: String(series), task: 'broken-off' });
  const naming = { branch, message, at: startedAt, verdict: 'discarded' } as const;
  await checkout.settle({ ...(await checkout.secure(changed, base, naming)), patch: '', patchDigest: '' });
}

export function messageOf({ open, series }: SeriesState): string {
  const { number, measured } = open!;
  const tried = oneLine(measured?.tried ?? '', 150);
  const name = number === 0 ? 'Baseline' : `Iteration ${number}`;
  return `${name}${tried === '' ? '' : `: ${tried}`}\n\nautoresearch run ${measured!.run}, series ${series}`;
}
