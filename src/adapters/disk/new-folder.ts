import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { markPlace } from '../kept/place-mark.js';

/** The next numbered folder in `parent`, with a mark that says of which project it is. */
export function newFolder(parent: string, root: string): string {
  let number = 1;
  while (existsSync(join(parent, String(number)))) number += 1;
  const folder = join(parent, String(number));
  mkdirSync(folder, { recursive: true });
  markPlace(folder, root);
  return folder;
}
