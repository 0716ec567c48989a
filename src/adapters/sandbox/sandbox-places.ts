import { mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Holds the places of files that must not be made with empty folders, which can be covered. Git does not see them, and
 * taking them away again can lose nothing. Calls that run at once share them: to take one away would uncover it for all.
 */
export function holdPlaces(absent: readonly string[], guarded: readonly string[]): () => void {
  const held: string[] = [];
  const release = (): void => {
    for (const path of held.splice(0).reverse()) letGo(path);
  };
  try {
    for (const path of absent) hold(path, held);
    // There by now, but only because another call holds it.
    for (const path of guarded) if (holders.has(path) && !absent.includes(path)) hold(path, held);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

const holders = new Map<string, number>();

/** Folders on the way that had to be made go with it. */
function hold(path: string, held: string[]): void {
  const known = holders.get(path);
  if (known !== undefined && holders.has(dirname(path))) hold(dirname(path), held);
  if (known === undefined && !isMade(path, held)) return;
  holders.set(path, (known ?? 0) + 1);
  held.push(path);
}

function isMade(path: string, held: string[]): boolean {
  for (;;) {
    try {
      mkdirSync(path);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Somebody was faster; whatever it is now, it is covered like everything that is there.
      if (code === 'EEXIST') return false;
      if (code !== 'ENOENT') throw error;
      hold(dirname(path), held);
    }
  }
}

function letGo(path: string): void {
  const left = (holders.get(path) ?? 1) - 1;
  if (left > 0) {
    holders.set(path, left);
    return;
  }
  holders.delete(path);
  try {
    rmdirSync(path);
  } catch {
    // Something is in it, so it has become somebody's folder.
  }
}
