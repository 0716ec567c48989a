import type { KnownProcess } from '../process/known-process.js';

/** What a job wrote of itself: its line in /proc, the boot, the host and its namespace of pids. Undefined for half a note. */
export function parseProcess(text: string): KnownProcess | undefined {
  const [stat = '', boot = '', host = '', space = ''] = text.split('\n');
  const pid = Number.parseInt(stat, 10);
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (!(pid > 1) || started === undefined || boot === '' || host === '') return undefined;
  return { host, space: `${boot} ${space}`, pid, started };
}
