import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { byteMarks } from '../../model/secrets/byte-marks.js';
import { type SecretFinder, secretFinder } from '../../model/secrets/secret-finder.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import { diskError } from '../disk/disk-error.js';

/**
 * Takes the values of secrets out of every file below a folder. A file without any is only read. One with a value is
 * replaced as a whole, so that nobody sees it half done; what a straggler that holds it open still writes is lost with the
 * old one. Links are not followed: what they lead to is not ours.
 */
export async function scrubFolder(dir: string, secrets: Secrets): Promise<void> {
  if (secrets.names.length === 0) return;
  await scrubBelow(dir, secretFinder(byteMarks(secrets)));
}

async function scrubBelow(dir: string, scrubber: SecretFinder): Promise<void> {
  for (const entry of await entriesOf(dir)) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await scrubBelow(path, scrubber);
    else if (entry.isFile()) await scrubFile(path, scrubber);
  }
}

async function entriesOf(dir: string): Promise<Dirent[]> {
  try {
    return await readdir(dir, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw diskError(error, dir);
  }
}

async function scrubFile(file: string, scrubber: SecretFinder): Promise<void> {
  try {
    await replaceWhereNeeded(file, scrubber);
  } catch (error) {
    if (isGone(error)) return;
    // Rather no log than one that gives a secret away.
    await truncate(file).catch((problem: unknown) => {
      if (!isGone(problem)) throw diskError(problem, file);
    });
  }
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function replaceWhereNeeded(file: string, scrubber: SecretFinder): Promise<void> {
  // Whatever a command may have put in this place by now, it is not waited for.
  const from = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await holdsSecret(from, scrubber))) return;
    await replace(file, from, scrubber);
  } finally {
    await from.close();
  }
}

async function holdsSecret(from: FileHandle, scrubber: SecretFinder): Promise<boolean> {
  for await (const { changed } of scrubbed(from, scrubber)) if (changed) return true;
  return false;
}

async function replace(file: string, from: FileHandle, scrubber: SecretFinder): Promise<void> {
  const beside = `${file}.${randomBytes(6).toString('hex')}`;
  const to = await open(beside, 'wx', (await from.stat()).mode & 0o777);
  try {
    try {
      for await (const { text } of scrubbed(from, scrubber)) await to.writeFile(Buffer.from(text, 'latin1'));
    } finally {
      await to.close();
    }
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

interface Piece {
  readonly text: string;
  readonly changed: boolean;
}

/** From the beginning of the file on. What might be the front of a value waits for the next chunk. */
async function* scrubbed(from: FileHandle, scrubber: SecretFinder): AsyncGenerator<Piece> {
  const chunk = Buffer.alloc(chunkBytes);
  let held = '';
  for (let at = 0; ; ) {
    const { bytesRead } = await from.read(chunk, 0, chunkBytes, at);
    at += bytesRead;
    const text = held + chunk.toString('latin1', 0, bytesRead);
    const sure = bytesRead === 0 ? text.length : Math.max(0, text.length - scrubber.longest + 1);
    const { done, rest, changed } = scrubber.replaceUpTo(text, sure);
    yield { text: done, changed };
    if (bytesRead === 0) return;
    held = rest;
  }
}

const chunkBytes = 256 * 1024;
