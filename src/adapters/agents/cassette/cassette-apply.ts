import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { mostCallBytes, mostFileBytes, type RecordedFile } from './cassette.js';
import { linkProblem, pathProblem, statsAt } from './cassette-path.js';

/** Why the files of a recording are not put into the project, in words. */
export class NotApplicable extends Error {}

export interface ApplyPorts {
  /** Absolute. */
  readonly root: string;
  readonly leaveOut: readonly string[];
}

/** Puts the recorded files in place. Nothing is touched before all of them have been looked at. */
export function applyFiles(files: readonly RecordedFile[], { root, leaveOut }: ApplyPorts): void {
  const realRoot = realpathSync(root);
  const contents = files.map(contentOf);
  checkTogether(files, contents);
  for (const file of files) {
    const problem =
      pathProblem(file.path, leaveOut) ?? ('link' in file ? linkProblem(file.path, file.link, leaveOut) : undefined);
    if (problem !== undefined) throw new NotApplicable(problem);
    checkPlace(realRoot, file, files);
  }
  // Removals make room for folders; links come last, so that nothing is written through one.
  for (const file of files) if ('removed' in file) remove(realRoot, file.path);
  files.forEach((file, index) => {
    if ('mode' in file) put(realRoot, file.path, (place) => write(place, contents[index]!, file.mode));
  });
  for (const file of files) if ('link' in file) put(realRoot, file.path, (place) => symlinkSync(file.link, place));
}

function contentOf(file: RecordedFile): Buffer | undefined {
  if ('text' in file) return Buffer.from(file.text.join('\n'));
  return 'base64' in file ? Buffer.from(file.base64, 'base64') : undefined;
}

function checkTogether(files: readonly RecordedFile[], contents: readonly (Buffer | undefined)[]): void {
  const sizes = contents.map((content) => content?.length ?? 0);
  if (sizes.some((size) => size > mostFileBytes) || sizes.reduce((sum, size) => sum + size, 0) > mostCallBytes)
    throw new NotApplicable('it holds more than a recording may');
  const paths = new Set(files.map(({ path }) => path));
  if (paths.size < files.length) throw new NotApplicable('it names a file twice');
  const kept = new Set(files.filter((file) => !('removed' in file)).map(({ path }) => path));
  for (const path of kept)
    for (const parent of parentsOf(path))
      if (kept.has(parent)) throw new NotApplicable(`${JSON.stringify(parent)} would be a file and a folder`);
}

/** What is there now: a link on the way is never followed, and a folder is never removed for a file. */
function checkPlace(root: string, { path, ...file }: RecordedFile, files: readonly RecordedFile[]): void {
  for (const parent of parentsOf(path)) {
    const stats = statsAt(join(root, parent));
    if (!stats) return;
    if (stats.isDirectory()) continue;
    // What is to go leaves nothing below it either.
    if (files.some((other) => other.path === parent && 'removed' in other)) return;
    throw notThrough(path, parent);
  }
  if ('removed' in file && statsAt(join(root, path))?.isDirectory())
    throw new NotApplicable(`${JSON.stringify(path)} is a folder here`);
}

const notThrough = (path: string, parent: string): NotApplicable =>
  new NotApplicable(
    `${JSON.stringify(path)} would be written through ${JSON.stringify(parent)}, which is no folder here`,
  );

/** From the top down, without the path itself. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function remove(root: string, path: string): void {
  for (const parent of parentsOf(path)) {
    const stats = statsAt(join(root, parent));
    if (!stats) return;
    if (!stats.isDirectory()) throw notThrough(path, parent);
  }
  if (statsAt(join(root, path))) unlinkSync(join(root, path));
}

/** Made under another name and then renamed, so that a link in its place is replaced and not followed. */
function put(root: string, path: string, make: (place: string) => void): void {
  for (const parent of parentsOf(path)) {
    const stats = statsAt(join(root, parent));
    if (!stats) mkdirSync(join(root, parent));
    else if (!stats.isDirectory()) throw notThrough(path, parent);
  }
  const place = join(root, path);
  const temporary = join(dirname(place), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    make(temporary);
    if (statsAt(place)?.isDirectory()) removeHollow(place);
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function write(place: string, content: Buffer, mode: string): void {
  writeFileSync(place, content, { flag: 'wx', mode: 0o600 });
  chmodSync(place, Number.parseInt(mode, 8));
}

/** A folder of nothing but folders; with anything else in it, it stays and this throws. */
function removeHollow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeHollow(join(folder, entry.name));
  rmdirSync(folder);
}
