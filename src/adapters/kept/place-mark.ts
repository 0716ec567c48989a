import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPlain, writePlain } from '../disk/plain-file.js';

/** Whose a folder outside of the project is, so that it can be told later whether anybody still needs it. */
const markName = 'project.json';

export const markPlace = (folder: string, root: string): void =>
  writePlain(join(folder, markName), `${JSON.stringify({ root })}\n`);

/** The project's folder; undefined where nothing says so. */
export function markOf(folder: string): string | undefined {
  const fd = openPlain(join(folder, markName));
  if (fd === undefined) return undefined;
  try {
    if (fstatSync(fd).size > longest) return undefined;
    const { root } = JSON.parse(readFileSync(fd, 'utf8')) as { root?: unknown };
    return typeof root === 'string' && root.startsWith('/') ? root : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

const longest = 20_000;
