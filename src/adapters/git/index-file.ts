import { hash } from 'node:crypto';

/** An index of ours, read without a process. */
export interface IndexFile {
  readonly entries: readonly IndexEntry[];
}

export interface IndexEntry {
  /** In bytes, one character each. */
  readonly name: string;
  /** As git prints it. */
  readonly mode: string;
}

/** Undefined for one that is not as git writes ours: another version or sum, flags that hide changes, additions that nobody asked for. */
export function readIndex(bytes: Buffer): IndexFile | undefined {
  const end = bytes.length - sumLength;
  if (end < headLength || bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2) return undefined;
  if (hash('sha1', bytes.subarray(0, end)) !== bytes.toString('hex', end)) return undefined;
  const entries: IndexEntry[] = [];
  let at = headLength;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const start = at + nameAt;
    const stop = start < end ? bytes.indexOf(0, start) : -1;
    if (stop < 0 || stop >= end || (bytes.readUInt16BE(at + flagsAt) & anyFlag) !== 0) return undefined;
    entries.push({
      name: bytes.toString('latin1', start, stop),
      mode: bytes.readUInt32BE(at + modeAt).toString(8),
    });
    at += (stop - at + 8) & ~7;
  }
  return hasOnlyKnown(bytes, at, end) ? { entries } : undefined;
}

/** Whether it has a submodule. */
export const hasGitlink = ({ entries }: IndexFile): boolean => entries.some(({ mode }) => mode === '160000');

/** What an index of ours may carry besides its files: trees that git has worked out, and where parts of it begin. */
function hasOnlyKnown(bytes: Buffer, start: number, end: number): boolean {
  let at = start;
  while (at + 8 <= end) {
    if (!['TREE', 'EOIE', 'IEOT'].includes(bytes.toString('latin1', at, at + 4))) return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}

/** By git's description of its format: ctime, mtime (8 bytes each), device, inode, mode, uid, gid, size, id, flags, name. */
const headLength = 12;
const modeAt = 24;
const flagsAt = 60;
const nameAt = 62;
const sumLength = 20;

/** Assume-unchanged, extended, and the two that tell sides of a merge apart. */
const anyFlag = 0xf000;
