/** What a finished task was made from. Equal fingerprints and intact outputs mean there is nothing to do. */
export interface Fingerprint {
  /** Version of this format. Another version makes a task stale, and says so. */
  readonly v: 1;
  readonly behaviour: string;
  /** Digest of options, cwd and schema together; the plan of the run holds the values. */
  readonly options: string;
  readonly env: string;
  /** Every file that matched an input, with the digest of its content. */
  readonly inputs: { readonly [path: string]: string };
  /** Needed task → digest of what it produced. */
  readonly upstream: { readonly [task: string]: string };
  /**
   * Large files that were read for this, with the stamp they had: as long as they have it they need not be read again.
   * Never compared. They stand here and not in a file of their own because whoever could write that file could have any
   * change overlooked; the journal is what is believed anyway.
   */
  readonly stamps?: { readonly [path: string]: FileStamp };
}

/** In the place of the digest of an input that was one thing when its task began and another when it had ended. No content has it. */
export const changedMeanwhile = 'changed while it was read';

/** One file that a task produced. */
export interface OutputRecord extends FileStamp {
  readonly path: string;
  readonly digest: string;
  /** A link to what was there before the attempt, or moved from there: one of several files, and no work of the task. */
  readonly older?: true;
}

/** Enough of a stat to believe that a file was not touched. Nanoseconds as text, because they do not fit a number. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
}

export const sameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;

/** When it was last changed. Anybody can set one of the times into the future, nobody the other. */
export const changedNs = ({ mtimeNs, ctimeNs }: FileStamp): bigint => earliest([BigInt(mtimeNs), BigInt(ctimeNs)]);

/** Of at least one. */
export function earliest([first, ...more]: readonly [bigint, ...bigint[]]): bigint {
  let found = first;
  for (const time of more) if (time < found) found = time;
  return found;
}

/**
 * Whether a time that a disk has kept is before a moment of that disk's clock. A disk that keeps whole seconds, or hundredths of
 * them, shows it in the time itself; there what is of the same one may be either.
 */
export function isBefore(keptNs: bigint, momentNs: bigint): boolean {
  const coarse = [1_000_000_000n, 10_000_000n].find((grain) => keptNs % grain === 0n) ?? 1n;
  return keptNs < momentNs - (momentNs % coarse);
}

/** The moment that a clock of milliseconds tells; the disk's own may be another, so all of that second may be meant. */
export const secondOfNs = (ms: number): bigint => BigInt(Math.floor(ms / 1000)) * 1_000_000_000n;

/** The files of a loop at one moment, as they would be kept. */
export interface LoopFiles {
  /** Path → what tells it from any other content; relative to the project. */
  readonly files: { readonly [path: string]: string };
  /** There are so many that each entry stands for all files of a folder: `src/*`. */
  readonly isGrouped?: true;
  /** Folders with nothing in them, which git does not keep. */
  readonly folders: readonly string[];
}
