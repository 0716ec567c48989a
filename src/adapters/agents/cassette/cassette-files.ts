import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileChange } from '../../watch/changed-files.js';
import { mostCallBytes, mostFileBytes, type RecordedFile } from './cassette.js';
import { linkProblem, pathProblem, statsAt } from './cassette-path.js';
import type { Hider } from './cassette-secrets.js';

/** Why a call cannot be recorded, in words. */
export class NotRecordable extends Error {}

export interface FilesPorts {
  /** Absolute. */
  readonly root: string;
  readonly leaveOut: readonly string[];
  readonly hider: Hider;
}

/** The files as they are now, for a cassette. Whatever could not be put back later is said now. */
export function collectFiles(changes: readonly FileChange[], ports: FilesPorts): readonly RecordedFile[] {
  let left = mostCallBytes;
  return changes.map((change) => {
    const { path } = change;
    if (ports.hider.words(path) !== path) throw new NotRecordable('the name of a file that it changed holds a secret');
    const problem = pathProblem(path, ports.leaveOut);
    if (problem !== undefined) throw new NotRecordable(problem);
    const { file, bytes } = recordedFile(change, ports);
    left -= bytes;
    if (left < 0) throw new NotRecordable(`it changed more than ${mostCallBytes / 1e6} MB of files`);
    return file;
  });
}

function recordedFile(
  { path, how }: FileChange,
  ports: FilesPorts,
): { readonly file: RecordedFile; readonly bytes: number } {
  const { root, leaveOut, hider } = ports;
  const place = join(root, path);
  if (how === 'removed') return { file: { path, removed: true }, bytes: 0 };
  const stats = statsAt(place);
  // A folder that cannot be read, a name that is no text, or something that is being changed at this moment.
  if (!stats || stats.isDirectory()) throw new NotRecordable(`${path} cannot be read`);
  if (stats.isSymbolicLink()) {
    const link = readlinkSync(place);
    const problem = linkProblem(path, link, leaveOut);
    if (problem !== undefined) throw new NotRecordable(problem);
    if (hider.words(link) !== link) throw new NotRecordable(`where the link ${path} leads to holds a secret`);
    return { file: { path, link }, bytes: 0 };
  }
  if (!stats.isFile()) throw new NotRecordable(`${path} is no plain file`);
  const { bytes, mode } = contentOf(root, path);
  return { file: fileOf({ path, mode: mode.toString(8).padStart(3, '0') }, bytes, hider), bytes: bytes.length };
}

/** Opened first and looked at then, so that nothing else can be put in its place between the two. */
function contentOf(root: string, path: string): { readonly bytes: Buffer; readonly mode: number } {
  const place = join(root, path);
  if (realpathSync(dirname(place)) !== dirname(join(realpathSync(root), path)))
    throw new NotRecordable(`${path} lies behind a link`);
  const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new NotRecordable(`${path} is no plain file`);
    if (stats.size > mostFileBytes) throw new NotRecordable(`${path} is larger than ${mostFileBytes / 1e6} MB`);
    const mode = stats.mode & 0o7777;
    if (mode > 0o777) throw new NotRecordable(`${path} has the mode ${mode.toString(8)}`);
    return { bytes: readFileSync(fd), mode };
  } finally {
    closeSync(fd);
  }
}

function fileOf(about: { readonly path: string; readonly mode: string }, bytes: Buffer, hider: Hider): RecordedFile {
  if (isUtf8(bytes) && !bytes.includes(0)) {
    const text = bytes.toString('utf8');
    const kept = hider.file(text);
    return { ...about, text: kept.split('\n'), ...(kept === text ? {} : { hidden: true }) };
  }
  if (hider.isIn(bytes)) throw new NotRecordable(`${about.path} is not text and holds a secret`);
  return { ...about, base64: bytes.toString('base64') };
}
