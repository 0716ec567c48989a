import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openProjectFiles, type ProjectFiles } from '../../adapters/disk/project-files.js';
import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import { planDigest } from '../../compile/plan-digest.js';
import { isSameSource } from '../../model/config-source.js';
import { FailureError } from '../../model/failure.js';
import type { RunState } from '../../model/state/run-state.js';
import { holdsAsRecorded } from '../../run/freshness/freshness.js';
import { select } from '../../run/select.js';
import type { CliContext } from '../context.js';
import { type NewestRun, tellDigests, usesGlobs } from '../history/history.js';
import { asNoted, writeStanding } from '../history/standing-notes.js';
import { isStanding, type Standing, standingOf } from '../history/standing-run.js';
import { dataSource } from './config-source.js';
import type { Located } from './open-project.js';

/** What was seen in passing; the long way need not look again. */
export interface QuickLook {
  readonly standing?: Standing;
  readonly newest?: NewestRun;
  /** Found out by reading all of it: writes it down for the next time. Only for who may write. */
  note?(): void;
}

/**
 * Whether there is nothing to do, found out without reading the config as a config: the newest run passed, the text of the
 * config is the one it was made from, and every file that it read and wrote is as it was. Then its plan is the plan, since
 * a plan follows from nothing but that text. Nothing stands whenever anything is in doubt; the long way has the last word.
 */
export async function quickLook(context: CliContext, found: Located): Promise<QuickLook> {
  if (context.set.length > 0 || choosing.some((option) => context.flag(option) || context.values(option).length > 0))
    return {};
  const source = found.ok ? dataSource(found.value) : undefined;
  if (!found.ok || !source) return {};
  const root = dirname(found.value.file);
  const store = openRunStore(root, context.agentId);
  const noted = await asNoted(store, { root, context, source });
  if (noted) return { standing: noted };
  const newest = newestRun(store);
  const state = newest?.reading.state;
  if (!newest || state?.outcome !== 'passed' || !isSameSource(state.source, source)) return newest ? { newest } : {};
  // What comes next in a loop is not for one of its runs to say.
  if (state.iteration) return { newest };
  const plain = await filesFor(state, root, false);
  const seen = plain.still();
  for (const task of state.tasks.values()) if (!holdsAsRecorded(task, seen)) return { newest };
  const plan = store.readPlan(newest.id);
  if (!plan || planDigest(plan) !== state.planDigest) return { newest };
  const everything = select(plan, { only: [], from: [], force: [] });
  // What gates say takes looking at more; the long way does.
  if (plan.tasks.some(({ gate }) => gate)) return { newest };
  const files = usesGlobs(plan) ? (await filesFor(state, root, true)).still() : seen;
  const stands = isStanding(plan, state, { files, selected: everything });
  if (!stands) return { newest };
  const standing = standingOf(plan, newest, store);
  return { newest, standing, note: () => writeStanding(plan, state, { root, context, source, store, standing }) };
}

async function filesFor(state: RunState, root: string, globs: boolean): Promise<ProjectFiles> {
  const files = await openProjectFiles(root, { globs });
  for (const task of state.tasks.values()) tellDigests(task, files);
  return files;
}

function newestRun(store: RunStore): NewestRun | undefined {
  const id = store.ids()[0];
  // Somebody is at work, or died and left something to clear up.
  if (id === undefined || existsSync(join(store.dir, 'lock'))) return undefined;
  try {
    const reading = store.read(id);
    return reading?.state ? { id, reading } : undefined;
  } catch (error) {
    // A journal that cannot be trusted is told of by the long way.
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}

/** Options that ask for something else than what the newest run did. */
const choosing = ['new', 'dry-run', 'plan', 'only', 'from', 'force', 'record', 'replay', 'autonomous'];
