import { lstatSync, lutimesSync } from 'node:fs';

/**
 * What time it is for the disk, in nanoseconds: its clock may be another one than ours, and ours may be set meanwhile. Such a
 * clock moves in steps of some milliseconds. `after` waits for the next one: all that was there before is then older than the
 * answer, and all that comes is not.
 */
export function diskTime(folder: string, which: 'now' | 'after'): bigint | undefined {
  const first = probe(folder);
  if (which === 'now' || first === undefined) return first;
  for (let waits = 0; waits < mostWaits; waits += 1) {
    Atomics.wait(nobody, 0, 0, 1);
    const later = probe(folder);
    if (later === undefined || later > first) return later ?? first;
  }
  // A disk that keeps whole seconds: what is of the same one may be either.
  return first;
}

/** Longer than a step of any clock that has more than hundredths of a second. */
const mostWaits = 20;

const nobody = new Int32Array(new SharedArrayBuffer(4));

/**
 * Whoever sets a folder's dates is noted with the disk's own one. No file is made and removed for it: for minutes ext4 goes around
 * each place that was freed, so that hundreds of tasks would slow down each other and whatever they write.
 */
function probe(folder: string): bigint | undefined {
  try {
    const now = new Date();
    lutimesSync(folder, now, now);
    return lstatSync(folder, { bigint: true }).ctimeNs;
  } catch {
    return undefined;
  }
}
