import type { Outcome } from '../../model/events/event.js';
import type { KeepReason } from '../../model/files/keep-reason.js';
import type { CleanedTrees } from '../../model/files/leftover.js';
import { type CleanedPlacesInput, lookCommand } from './clean-leftovers-text.js';

interface CleanJsonInput {
  readonly remove: readonly OldRun[];
  readonly spared: readonly { readonly run: OldRun; readonly why: KeepReason }[];
  /** Run → bytes on disk. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly trees: CleanedTrees;
  readonly places: CleanedPlacesInput;
  readonly isDryRun: boolean;
}

interface OldRun {
  readonly id: string;
  readonly state: { readonly outcome: Outcome } | undefined;
}

/** `clean --json`: what was removed, or would be, and what stays and why. */
export const cleanJson = ({ remove, spared, sizes, trees, places, isDryRun }: CleanJsonInput): object => ({
  dryRun: isDryRun,
  runs: {
    removed: remove.map(({ id, state }) => ({ run: id, outcome: state?.outcome ?? null, bytes: sizes.get(id) ?? 0 })),
    kept: spared.map(({ run, why }) => ({ run: run.id, why })),
  },
  worktrees: {
    removed: trees.removed,
    inUse: trees.inUse ?? [],
    kept: trees.stays.map(({ leftover, why }) => ({ ...leftover, why, look: lookCommand(leftover) })),
    ...(trees.strange === undefined ? {} : { strange: trees.strange }),
    ...(trees.problem ? { problem: trees.problem } : {}),
  },
  places: {
    removed: places.remove.map(({ place, why }) => ({ ...place, why })),
    kept: places.spared.map(({ place, why }) => ({ ...place, why })),
    strange: places.strange,
  },
});
