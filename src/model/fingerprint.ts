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
}

/** One file that a task produced. */
export interface OutputRecord extends FileStamp {
  readonly path: string;
  readonly digest: string;
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
