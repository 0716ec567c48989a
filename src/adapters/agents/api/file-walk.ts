import type { Dirent } from 'node:fs';
import type { ConfinedFiles } from './confined-files.js';
import { kindOf } from './confined-files.js';

export interface Walked {
  readonly files: readonly string[];
  /** Everything else, in words. */
  readonly others: readonly string[];
  /** There was more than was looked at. */
  readonly cut: boolean;
}

/** Large and seldom meant; they are looked into when they are named. */
const passedOver = new Set(['.git', '.autoresearch', 'node_modules']);
const mostEntries = 20_000;
const entriesBetweenBreaths = 500;

/** All files below a folder, sorted. No link is followed. Other work gets its turn in between. */
export async function walkFiles(files: ConfinedFiles, from: string, signal: AbortSignal): Promise<Walked> {
  const [found, others, open]: [string[], string[], string[]] = [[], [], [from]];
  let seen = 0;
  let breath = 0;
  for (let folder = open.shift(); folder !== undefined && !signal.aborted; folder = open.shift()) {
    for (const entry of entriesOf(files, folder, folder === from)) {
      if (++seen > mostEntries) return { files: found.sort(), others, cut: true };
      const path = folder === '.' || folder === '' ? entry.name : `${folder.replace(/\/+$/, '')}/${entry.name}`;
      if (entry.isFile()) found.push(path);
      else if (!entry.isDirectory()) others.push(`${path} (${kindOf(entry)})`);
      else if (passedOver.has(entry.name)) others.push(`${path}/ (not looked into)`);
      else open.push(path);
    }
    if (seen - breath >= entriesBetweenBreaths) {
      breath = seen;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { files: found.sort(), others, cut: false };
}

/** A folder below that has gone, or that nobody may read, is passed over; the one that was asked for is not. */
function entriesOf(files: ConfinedFiles, folder: string, asked: boolean): readonly Dirent[] {
  try {
    return files.list(folder);
  } catch (error) {
    if (asked) throw error;
    return [];
  }
}
