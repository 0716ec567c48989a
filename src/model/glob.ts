/** Facts about path patterns that need no matching library. */

export const isGlob = (pattern: string): boolean => /[*?]|\[[^\]]+\]|\{[^{}]*(?:,|\.\.)[^{}]*\}|[@!+]\(/.test(pattern);

/** The folders before the first part with a pattern in it: `out/runs/*.json` → `out/runs`, `**` → ``. */
export function globBase(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex(isGlob);
  return parts.slice(0, first).join('/');
}

/** What every match ends with: `out/*.json` → `.json`. */
const globSuffix = (pattern: string): string => (/[\]})]/.test(pattern) ? '' : pattern.slice(Math.max(pattern.lastIndexOf('*'), pattern.lastIndexOf('?')) + 1));

/** False only when no path can match both patterns; true may be wrong, because two globs are compared by their ends alone. */
export function globsMayMeet(a: string, b: string): boolean {
  const [baseA, baseB] = [globBase(a), globBase(b)];
  const [endA, endB] = [globSuffix(a), globSuffix(b)];
  return (isWithin(baseA, baseB) || isWithin(baseB, baseA)) && (endA.endsWith(endB) || endB.endsWith(endA));
}

/** Whether a path is a folder's, or the folder itself; `` is the project folder. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

/** The folders that a path lies in, nearest first, without the project folder. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}
