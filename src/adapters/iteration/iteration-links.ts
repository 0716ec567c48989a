import { lstatSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { realEnd } from '../git/own-links.js';

/**
 * Those of the files that are links to what is not of the loop. Git keeps where a link leads and nothing of what is there:
 * what was measured could be exchanged at any time without a trace. Names are relative to `top`.
 */
export function strayLinks(
  top: string,
  files: readonly string[],
  isOurs: (file: string) => boolean,
): readonly { readonly file: string; readonly target: string }[] {
  return files.flatMap((file) => {
    const path = join(top, file);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return [];
    const target = readlinkSync(path);
    return isOurs(relative(top, realEnd(path, target))) ? [] : [{ file, target }];
  });
}
