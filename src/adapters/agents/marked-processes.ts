import { readFileSync } from 'node:fs';
import { processIds } from '../command/sweeper.js';
import { EndedProcesses } from '../process/ended-processes.js';
import { isAlive, type KnownProcess, knownProcess, parentOf } from '../process/known-process.js';

/** A variable that processes inherit, and which of its values are meant. */
export interface Mark {
  readonly variable: string;
  matches(value: string): boolean;
}

/**
 * Ends these processes, all their descendants, and whatever carries the mark: what left its session still has one or the
 * other, unless it took care to lose both. We ourselves and whoever started us stay. Without /proc only the groups go.
 */
export async function endMarked(roots: readonly number[], mark: Mark): Promise<void> {
  const kin = ancestorsOf(process.pid);
  const known = roots.filter((pid) => !kin.has(pid)).map(knownProcess);
  const ended = new EndedProcesses();
  // Looks again until a look finds nothing, because a process may have forked between the look and its end.
  for (let round = 0; round < maxRounds; round += 1) {
    const ids = processIds();
    const meant = [...known.filter(lives).map(({ pid }) => pid), ...ids.filter((pid) => carries(pid, mark))];
    const found = withDescendants(meant, ids).filter((pid) => !kin.has(pid) && lives(knownProcess(pid)));
    for (const pid of found) ended.end(pid);
    // Only now: a child whose parent is gone is no longer known as its child.
    if (round === 0) for (const { pid } of known) endGroup(pid);
    if (found.length === 0 && !ended.someLeft()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A process in the kernel's uninterruptible sleep cannot be ended; one second is enough to know. */
const maxRounds = 500;

/** What has ended and waits for its parent to notice has no start time, and is no longer alive for us. */
const lives = (each: KnownProcess): boolean => each.started !== '' && isAlive(each);

function withDescendants(pids: readonly number[], ids: readonly number[]): readonly number[] {
  const parents = ids.map((pid) => [pid, parentOf(pid)] as const);
  const found = new Set(pids);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function carries(pid: number, { variable, matches }: Mark): boolean {
  try {
    const start = `${variable}=`;
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return variables.some((each) => each.startsWith(start) && matches(each.slice(start.length)));
  } catch {
    // Gone by now, or another user's.
    return false;
  }
}

function ancestorsOf(pid: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let each = pid; each > 0 && !found.has(each); each = parentOf(each)) found.add(each);
  return found;
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Gone by itself, or not ours.
  }
}
