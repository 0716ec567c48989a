import { lstatSync, readdirSync, readFileSync } from 'node:fs';

/** What a folder of git's holds; nothing where there is none. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A file of git's that is one line; undefined where there is none, or something that is no file. */
export function textOf(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8').trim() : undefined;
  } catch {
    return undefined;
  }
}
