import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Names one process so that no other can be taken for it, neither one with a reused pid nor one of another machine. */
export interface KnownProcess {
  readonly host: string;
  /** The machine's boot and the namespace of its process ids: a pid means something only within the same. */
  readonly space: string;
  readonly pid: number;
  /** The kernel's start time of the process. Empty where /proc is not there. */
  readonly started: string;
}

export const knownProcess = (pid: number): KnownProcess => ({
  host: hostname(),
  space: ownSpace(),
  pid,
  started: startTime(pid),
});

/** Whether the process could be asked from here at all: a sandbox or another host has other pids. */
export const isNear = ({ host, space }: KnownProcess): boolean => host === hostname() && space === ownSpace();

/** Whether the very process still lives. Only for one that is near. A halted process is alive. */
export function isAlive({ pid, started }: KnownProcess): boolean {
  if (started !== '') return startTime(pid) === started;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Zero when it is not known. */
export const parentOf = (pid: number): number => statFields(pid)?.parent ?? 0;

/** Zero when it is not known, and for a process that has ended. */
export const groupOf = (pid: number): number => (startTime(pid) === '' ? 0 : (statFields(pid)?.group ?? 0));

export function isKnownProcess(value: unknown): value is KnownProcess {
  if (typeof value !== 'object' || value === null) return false;
  const { host, space, pid, started } = value as Record<string, unknown>;
  // To the system, process 0 is our own group and 1 is everybody's parent.
  const isPid = Number.isSafeInteger(pid) && (pid as number) > 1;
  return isPid && typeof host === 'string' && typeof space === 'string' && typeof started === 'string';
}

/** Empty for a process that has ended, also when nobody has taken notice of its end yet. */
function startTime(pid: number): string {
  const fields = statFields(pid);
  return fields === undefined || fields.state === 'Z' || fields.state === 'X' ? '' : fields.started;
}

interface StatFields {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly started: string;
}

function statFields(pid: number): StatFields | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold spaces; state, parent, group and start time are the 1st, 2nd, 3rd and 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent = 0, group = 0] = fields;
    return { state, parent: Number(parent), group: Number(group), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function ownSpace(): string {
  space ??= [
    orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    orNothing(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return space;
}

let space: string | undefined;

function orNothing(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
