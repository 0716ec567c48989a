import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { EndedProcesses } from '../process/ended-processes.js';
import { groupOf, isAlive, isNear, type KnownProcess, parentOf } from '../process/known-process.js';
import { markersOf, processIds } from './sweeper.js';

/** By what the processes of earlier runners are known. */
export interface OrphanTraces {
  /** The ids in their markers. */
  readonly runners: ReadonlySet<string>;
  readonly processes: readonly KnownProcess[];
  /** Absolute: a folder that nobody but commands of the run prints into. */
  readonly logs?: string;
}

/**
 * Ends what earlier processes of a run left behind, and answers with how many it were: everything that carries the marker
 * of one of these runners or still prints into the logs of the run, and the given processes with their groups. What is not the very process that was meant stays:
 * a pid that was given to another, a process of another host, ourselves and whoever started us.
 */
export async function endOrphans(traces: OrphanTraces): Promise<number> {
  const ended = new EndedProcesses();
  // Looks again until a look finds nothing, because a process may have forked between the look and its end.
  for (let round = 0; round < maxRounds; round += 1) {
    const found = findOrphans(traces);
    for (const pid of found) ended.end(pid);
    if (found.length === 0 && !ended.someLeft()) break;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return ended.count;
}

/** Those that `endOrphans` would end first. */
export const findOrphans = ({ runners, processes, logs }: OrphanTraces): readonly number[] => [
  ...new Set([...marked(runners), ...inGroupOf(processes), ...printingInto(logs)].filter((pid) => !isKin(pid))),
];

/** A process in the kernel's uninterruptible sleep cannot be ended; one second is enough to know. */
const maxRounds = 500;

function marked(runners: ReadonlySet<string>): readonly number[] {
  if (runners.size === 0) return [];
  return processIds().filter((pid) => markersOf(pid).some((id) => runners.has(id.slice(0, id.indexOf('.')))));
}

/** What cleared its environment is known by where it prints to. Who reads a log, or writes one of its own, is not meant. */
function printingInto(folder: string | undefined): readonly number[] {
  if (folder === undefined) return [];
  const places = [`${folder}/`, ...pipesInto(folder)];
  const isMeant = (file: string): boolean => places.some((place) => file.startsWith(place));
  return processIds().filter((pid) => [1, 2].some((fd) => isMeant(fileOf(pid, fd))));
}

/** The folders of pipes through which a scribe (see `scribe/main`) writes these logs for somebody. */
function pipesInto(folder: string): readonly string[] {
  return processIds().flatMap((pid) => {
    const files = isScribe(pid) ? filesOf(pid) : [];
    if (!files.some((file) => file.startsWith(`${folder}/`))) return [];
    return files.flatMap((file) => /^.*\/autoresearch-scribe-[^/]+\//.exec(file) ?? []);
  });
}

function isScribe(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/scribe.cjs\0');
  } catch {
    return false;
  }
}

function filesOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => fileOf(pid, Number(fd)));
  } catch {
    return [];
  }
}

/** Empty when it is closed, or somebody else's. */
function fileOf(pid: number, fd: number): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch {
    return '';
  }
}

/** Each command leads a process group, which goes with it. */
function inGroupOf(processes: readonly KnownProcess[]): readonly number[] {
  const leaders = processes.filter((each) => each.started !== '' && isNear(each) && isAlive(each));
  if (leaders.length === 0) return [];
  const groups = new Set(leaders.map(({ pid }) => pid));
  return [...groups, ...processIds().filter((pid) => groups.has(groupOf(pid)))];
}

/** Ourselves, whoever started us, and what we have started: an `exec` may be typed in a shell that a command left open. */
function isKin(pid: number): boolean {
  return isOf(process.pid, pid) || isOf(pid, process.pid);
}

function isOf(pid: number, ancestor: number): boolean {
  for (let each = pid; each > 1; each = parentOf(each)) if (each === ancestor) return true;
  return false;
}
