import type { Files } from '../../model/ports.js';

/** What cannot be read any more is not what it was. */
export function digestNow(files: Files, path: string): string | undefined {
  try {
    return files.digest(path);
  } catch {
    return undefined;
  }
}
