import { lastWritten } from '../../adapters/journal/run-remover.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { keptPlaces } from '../../adapters/kept/kept-places.js';
import type { Finding } from '../../model/finding.js';
import type { TreeRecord } from '../../model/state/tree-record.js';
import { cleanPlaces } from '../clean/clean-places.js';
import { cleanWorktrees, treesInUse } from '../clean/clean-worktrees.js';
import type { CliContext } from '../context.js';
import { findLeftBehind } from '../left-behind/left-behind.js';
import { openSessions } from '../run/open-sessions.js';
import { keptFolder } from '../run/vault-place.js';
import type { NewestRun } from './state.js';

export interface LeftoversInput {
  readonly root: string;
  readonly store: RunStore;
  readonly context: CliContext;
  readonly newest: NewestRun | undefined;
  /** A run goes on, so what is there may be in use. */
  readonly isAtWork: boolean;
}

/** Only of a run that has not passed, as `exec` does it. */
export function processFindings({ store, newest, isAtWork }: LeftoversInput): readonly Finding[] {
  const state = newest?.reading?.state;
  if (isAtWork || !newest || !state || state.outcome === 'passed') return [];
  const pids = findLeftBehind(store.runDir(newest.id), state);
  return pids.length === 0 ? [] : [{ check: 'processes', standing: 'odd', pids }];
}

export async function sessionFindings({ store, context, isAtWork }: LeftoversInput): Promise<readonly Finding[]> {
  const open = await openSessions(store.dir, context.env);
  const [first] = open;
  if (!first) return [];
  const names = open.map(({ name }) => name);
  return [{ check: 'sessions', standing: isAtWork ? 'fine' : 'odd', names, attach: first.attach }];
}

export async function worktreeFindings(input: LeftoversInput): Promise<readonly Finding[]> {
  const { root, store, context, isAtWork } = input;
  const place = { root, stateDir: store.dir, agentId: context.agentId, env: context.env, inUse: inUseOf(input) };
  const { removed, stays, inUse = [], strange, problem } = await cleanWorktrees(place, true);
  const told = strange === undefined ? problem?.what : `${strange} is a link or no folder`;
  const atWork = isAtWork ? inUse.length : 0;
  if (removed.length + stays.length + atWork === 0 && told === undefined) return [];
  return [
    {
      check: 'worktrees',
      standing: isAtWork && told === undefined ? 'fine' : 'odd',
      isAtWork,
      removable: removed.length,
      kept: stays.length + atWork,
      ...(told === undefined ? {} : { problem: told }),
    },
  ];
}

const inUseOf = ({ newest }: LeftoversInput): readonly TreeRecord[] => treesInUse(newest?.reading?.state);

export function placeFindings(input: LeftoversInput): readonly Finding[] {
  const { root, store, context, isAtWork } = input;
  const folder = keptFolder(root, context.env);
  const { places } = keptPlaces(folder);
  const kept = store.ids().map((id) => ({ id, lastAt: lastWritten(store, id) }));
  const plan = cleanPlaces({ root, stateDir: store.dir, context, kept, removed: [], inUse: inUseOf(input) }, true);
  const removable = plan.remove.filter(({ why }) => !isAtWork || why !== 'cut-short').length;
  const stays = plan.spared.length + plan.strange.length;
  if (places.length + stays === 0) return [];
  return [
    {
      check: 'places',
      standing: removable + stays === 0 ? 'fine' : 'odd',
      folder,
      vaults: places.filter(({ kind }) => kind === 'vault').length,
      evidence: places.filter(({ kind }) => kind === 'evidence').length,
      bytes: places.reduce((sum, { bytes }) => sum + bytes, 0),
      removable,
      kept: stays,
    },
  ];
}
