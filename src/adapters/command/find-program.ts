import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

export type FoundProgram =
  | { readonly kind: 'found'; readonly file: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'not-executable'; readonly file: string };

/** Finds a program as execvp(3) would from that folder. */
export function findProgram(name: string, cwd: string, path: string | undefined): FoundProgram {
  if (name === '') return { kind: 'missing' };
  if (name.includes('/')) return probe(inFolder(cwd, name));
  let forbidden: FoundProgram | undefined;
  for (const folder of (path ?? defaultPath).split(':')) {
    const found = probe(`${inFolder(cwd, folder)}/${name}`);
    if (found.kind === 'found') return found;
    if (found.kind === 'not-executable') forbidden ??= found;
  }
  return forbidden ?? { kind: 'missing' };
}

const defaultPath = '/usr/local/bin:/usr/bin:/bin';

/** Joined without tidying: `link/../x` must mean what the system takes it to mean. */
const inFolder = (cwd: string, path: string): string => (isAbsolute(path) ? path : `${cwd}/${path || '.'}`);

function probe(file: string): FoundProgram {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return { kind: 'missing' };
  } catch {
    return { kind: 'missing' };
  }
  try {
    accessSync(file, constants.X_OK);
    return { kind: 'found', file };
  } catch {
    return { kind: 'not-executable', file };
  }
}
