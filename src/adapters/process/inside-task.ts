import { readFileSync } from 'node:fs';
import { markerName } from '../command/environment.js';

/**
 * Whether this process descends from a command or an agent of the project's own runs. Its own environment it could have
 * cleared; those of the processes above it, it cannot.
 */
export function isInsideTask(root: string, runners: readonly string[]): boolean {
  for (let pid: number | undefined = process.pid, steps = 0; pid !== undefined && pid > 1 && steps < 200; steps += 1) {
    const env = environmentOf(pid);
    if (env.some((entry) => entry === `AUTORESEARCH_ROOT=${root}` || isMarker(entry, runners))) return true;
    pid = parentOf(pid);
  }
  return false;
}

const isMarker = (entry: string, runners: readonly string[]): boolean =>
  entry.startsWith(`${markerName}=`) && runners.some((runner) => runner !== '' && entry.includes(runner));

/** Empty where it cannot be read: then it is somebody else's, or there is no /proc. */
function environmentOf(pid: number): readonly string[] {
  if (pid === process.pid) return Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of a program may hold spaces and brackets; what follows the last one are numbers.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(parent);
  } catch {
    return pid === process.pid ? process.ppid : undefined;
  }
}
