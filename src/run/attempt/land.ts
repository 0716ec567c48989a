import type { RecordedEvent } from '../../model/events/event.js';
import type { Failure } from '../../model/failure.js';
import type { Conflict, OwnTree } from '../../model/files/isolation.js';
import type { OutputRecord } from '../../model/fingerprint.js';
import type { Task } from '../../model/plan.js';
import type { Turns } from '../agents/turns.js';
import type { Claims } from '../protect/claims.js';
import type { AttemptResult } from './attempt.js';
import type { AttemptPorts } from './attempt-ports.js';
import { outputsAfter } from './outputs.js';

/** What an attempt left in its worktree, which is to become part of the project. */
export interface Landing {
  readonly task: Task;
  readonly attempt: number;
  readonly tree: OwnTree;
  readonly message: string;
  /** The moment that commits bear, in milliseconds since 1970. */
  readonly atMs: number;
  readonly summary?: string;
}

export interface LandTools {
  /** Of the project, not of the worktree. */
  readonly ports: AttemptPorts;
  readonly turns: Turns;
  readonly claims: Claims;
  record(events: readonly RecordedEvent[]): void;
  /** What has to hold once more when the work meets what others have merged meanwhile. */
  recheck(): Promise<Failure | undefined>;
  /** What is protected, looked at before anything builds on the work. */
  breach(): Failure | undefined;
  /** What somebody else wrote in the worktree while its task waited for its turn. */
  disturbed(): Failure | undefined;
}

/**
 * Merges the committed work of a task. One after another: what is merged has been checked as it stands, together with all
 * that came before it, and not only on its own.
 */
export async function land(landing: Landing, tools: LandTools): Promise<AttemptResult> {
  const done = await tools.turns.take('landing');
  try {
    return await landAlone(landing, tools);
  } finally {
    done();
  }
}

async function landAlone(
  landing: Landing,
  { ports, claims, record, recheck, breach, disturbed }: LandTools,
): Promise<AttemptResult> {
  const { task, attempt, tree, message, atMs, summary } = landing;
  const { branch, path } = tree.record;
  const conflict = ({ conflicts }: Conflict): AttemptResult =>
    failed({ code: 'merge-conflict', branch, path, files: conflicts });
  const stirred = disturbed();
  if (stirred) return failed(stirred);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const updated = await tree.update();
    if (typeof updated === 'object') return conflict(updated);
    if (updated === 'updated') {
      const failure = await recheck();
      if (failure) return failed(failure);
      await tree.restore();
    }
    const breached = tree.broken() ?? breach();
    if (breached) return failed(breached);
    const checked = outputsAfter(task, tree.place.files, new Map());
    if (!checked.ok) return checked;
    const merged = await tree.merge({ message, atMs }, (files) => claims.merged(task.id, files));
    // Somebody else committed to the branch in this moment: what was checked is not what would be there.
    if (merged === 'moved') continue;
    if ('conflicts' in merged) return conflict(merged);
    const brought = await tree.bringBack(checked.outputs.map((output) => output.path));
    record([
      {
        type: 'worktree-merged',
        task: task.id,
        attempt,
        branch,
        ...merged,
        ...(brought.length > 0 ? { brought } : {}),
      },
    ]);
    return sameAsChecked(checked.outputs, outputsAfter(task, ports.files, new Map()), summary);
  }
  return failed({
    code: 'worktree-failed',
    detail: `the branch that ${branch} is to be merged into moves all the time`,
    fix: stillThere,
  });
}

/** What is in the project now has to be what passed in the worktree. */
export function sameAsChecked(
  checked: readonly OutputRecord[],
  now: ReturnType<typeof outputsAfter>,
  summary: string | undefined,
): AttemptResult {
  if (!now.ok) return now;
  const digests = new Map(now.outputs.map(({ path, digest }) => [path, digest]));
  const files = checked.filter(({ path, digest }) => digests.get(path) !== digest).map(({ path }) => path);
  if (files.length > 0)
    return failed({
      code: 'worktree-failed',
      detail: 'what is in the project after the merge is not what was checked',
      fix: whoWrote,
      files,
    });
  return { ok: true, outputs: now.outputs, ...(summary === undefined ? {} : { summary }) };
}

const failed = (failure: Failure): AttemptResult => ({ ok: false, failure });

/** Of a person who commits all the time; tasks of a run wait for each other. */
const mostTries = 20;

const stillThere = 'Branch and worktree are still there: go on with autoresearch exec when nobody commits';
const whoWrote =
  'Look who wrote these files, or which setting of git changes them on the way, and go on with autoresearch exec';
