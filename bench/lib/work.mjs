import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Everything the benchmark makes lies here, outside of any repository: inside one, a run would also ask git. */
export const work = join(tmpdir(), 'autoresearch-bench');

/** Makes a fresh folder with these files. */
export function writeFiles(name, files) {
  const folder = join(work, name);
  setAside(folder);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/**
 * Out of the way, but not removed before the end: for half a minute ext4 goes around each inode that was just freed, which
 * makes every file that a contender creates cost milliseconds.
 */
export function setAside(path) {
  if (!existsSync(path)) return;
  mkdirSync(aside, { recursive: true });
  renameSync(path, join(aside, `${Date.now()}-${moved++}`));
}

export const clearAside = () => rmSync(aside, { recursive: true, force: true });

/** What it takes to make an empty file, each in a folder of its own. */
export function newFileMicros() {
  const folder = writeFiles('new-files', {});
  const count = 500;
  for (let index = 0; index < count; index++) mkdirSync(join(folder, `${index}`));
  const start = process.hrtime.bigint();
  for (let index = 0; index < count; index++) closeSync(openSync(join(folder, `${index}/file`), 'w'));
  return Math.round(Number(process.hrtime.bigint() - start) / 1e3 / count);
}

const aside = join(work, 'aside');
let moved = 0;
