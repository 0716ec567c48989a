import { readdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { keptPlaces, removePlaces } from '../../adapters/kept/kept-places.js';
import { noteNames } from '../../adapters/watch/watch-notes.js';
import type { TreeRecord } from '../../model/state/tree-record.js';
import { type PlacePlan, planPlaces } from '../../run/clean/old-places.js';
import type { CliContext } from '../context.js';
import { keptFolder, notesPlace, vaultName } from '../run/vault-place.js';

export interface PlacesInput {
  readonly root: string;
  readonly stateDir: string;
  readonly context: CliContext;
  /** Runs of this agent id that stay, newest first, and those that go. */
  readonly kept: readonly { readonly id: string; readonly lastAt: number }[];
  readonly removed: readonly string[];
  /** Worktrees that the unfinished run goes on in. */
  readonly inUse: readonly TreeRecord[];
  readonly endedBefore?: number;
}

export interface CleanedPlaces extends PlacePlan {
  /** What stands where a place of ours would be, and is none. */
  readonly strange: readonly string[];
}

/** What nobody needs any more outside of the project: vaults and evidence of runs and of projects that are gone. */
export function cleanPlaces(input: PlacesInput, isDryRun: boolean): CleanedPlaces {
  const { root, context, kept, endedBefore } = input;
  const folder = keptFolder(root, context.env);
  const { places, strange } = keptPlaces(folder);
  const removed = new Set(input.removed);
  const plan = planPlaces(places, {
    root: realpathSync(root),
    vaults: {
      protect: vaultName(root, context.agentId, 'protect'),
      scope: vaultName(root, context.agentId, 'scope'),
    },
    runs: new Set(allRuns(input).filter((id) => !removed.has(id))),
    ownRuns: kept.length,
    isNoted: noteNames(notesPlace(root, context)).size > 0,
    removed,
    inUse: input.inUse.map(({ path }) => path),
    newestAt: kept.map(({ lastAt }) => lastAt).reduce<number | undefined>(later, undefined),
    ...(endedBefore === undefined ? {} : { endedBefore }),
  });
  if (isDryRun) return { ...plan, strange };
  const gone = new Set(
    removePlaces(
      folder,
      plan.remove.map(({ place }) => place),
    ),
  );
  return { ...plan, remove: plan.remove.filter(({ place }) => gone.has(place)), strange };
}

/** Whether nobody else may be at work here while it is removed. */
export const hasOwnVault = (root: string, context: CliContext): boolean => {
  const names = (['protect', 'scope'] as const).map((what) => vaultName(root, context.agentId, what));
  return keptPlaces(keptFolder(root, context.env)).places.some(({ name }) => names.includes(name));
};

/** Of every agent id: evidence does not say which. */
function allRuns({ root, stateDir }: PlacesInput): readonly string[] {
  const above = dirname(stateDir);
  let ids: readonly string[];
  try {
    ids = readdirSync(above, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
  return ids.flatMap((id) => openRunStore(root, id).ids());
}

/** A run of which nobody knows when it was last written to is no measure. */
const later = (newest: number | undefined, at: number): number | undefined =>
  Number.isFinite(at) && (newest === undefined || at > newest) ? at : newest;
