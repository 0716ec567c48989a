import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * What runners write into checkouts that people work in: all of them, because two agent ids may share one. Who watches a
 * checkout learns from it which changes are nobody's trespass. It is only needed while somebody watches.
 */
export interface CheckoutEntry {
  /** The top folder of the checkout. */
  readonly top: string;
  /** `begun`: files are about to be written, `done`: the branch is there now. `wrote`: files that are in no commit. */
  readonly what: 'begun' | 'done' | 'wrote';
  /** Branch and commit that are checked out then. */
  readonly standing?: string;
  readonly files: readonly string[];
}

export function logCheckout(file: string, entry: CheckoutEntry): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (endOf(file) > mostBytes) truncateSync(file);
  appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

/** Where it ends now. */
export const endOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

export function entriesSince(file: string, start: number, top: string): readonly CheckoutEntry[] {
  const end = endOf(file);
  if (end === 0) return [];
  const from = start > end ? 0 : start;
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(fd).size - from);
    readSync(fd, bytes, 0, bytes.length, from);
    return bytes
      .toString('utf8')
      .split('\n')
      .flatMap((line) => entryOf(line) ?? [])
      .filter((entry) => entry.top === top);
  } finally {
    closeSync(fd);
  }
}

/** A line that was cut off says nothing. */
function entryOf(line: string): CheckoutEntry | undefined {
  try {
    return JSON.parse(line) as CheckoutEntry;
  } catch {
    return undefined;
  }
}

const mostBytes = 5_000_000;
