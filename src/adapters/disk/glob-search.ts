import { readdirSync } from 'node:fs';
import { posix, relative, sep } from 'node:path';
import { errorLog } from '../../model/files/error-log-path.js';
import { loadGlobMatch } from '../../source/glob.js';
import { couldMean, oddNames, refusedName } from './odd-names.js';

/** Files that match, relative to the project; `below` tells of the files in a folder, or of the one file that it is. */
export type GlobSearch = (pattern: string, below: (path: string) => readonly string[]) => readonly string[];

/**
 * To the library `.` of a regular expression is anything but a line break, so `**` passes over names that hold one, and with
 * them over whatever somebody hides there. Its own look at the folders tells of such names; what is behind them is
 * matched here. In a project without any this costs nothing.
 */
export async function loadGlobSearch(root: string): Promise<GlobSearch> {
  const { globSync } = await import('tinyglobby');
  const matches = await loadGlobMatch();
  return (pattern, below) => {
    const odd: string[] = [];
    // Thrown afterwards: the library passes over folders that it cannot read.
    let refused: Error | undefined;
    const look = ((folder: string, options: { withFileTypes: true }) => {
      const entries = readdirSync(folder, options);
      for (const { name } of entries) if (lineBreak.test(name)) odd.push(inside(root, folder, name));
      for (const unread of oddNames(folder, entries)) {
        const path = inside(root, folder, unread.name);
        if (!isIgnored(path) && couldMean(pattern, path, unread, matches))
          refused ??= refusedName(posix.dirname(path), unread);
      }
      return entries;
    }) as typeof readdirSync;
    const found = globSync(pattern, {
      cwd: root,
      dot: true,
      onlyFiles: true,
      ignore: ['**/.git/**', '.autoresearch/**', errorLog],
      fs: { readdirSync: look },
    });
    if (refused) throw refused;
    if (odd.length === 0) return found;
    const hidden = odd.flatMap((path) => below(path)).filter((path) => matches(pattern, path));
    return [...new Set([...found, ...hidden])];
  };
}

/** As the search leaves it out. */
const isIgnored = (path: string): boolean => /(^|\/)\.git(\/|$)/.test(path) || path.startsWith('.autoresearch/');

const inside = (root: string, folder: string, name: string): string =>
  posix.join(relative(root, folder).split(sep).join('/'), name);

/** What `.` does not stand for. */
const lineBreak = /[\n\r\u2028\u2029]/;
