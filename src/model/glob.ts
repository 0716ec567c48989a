/** Facts about path patterns that need no matching library. */

export const isGlob = (pattern: string): boolean => /[*?]|\[[^\]]+\]|\{[^{}]*(?:,|\.\.)[^{}]*\}|[@!+]\(/.test(pattern);

/** What every match begins with: the text before anything special. */
export const globPrefix = (pattern: string): string => pattern.slice(0, /[*?[\]{}()\\]|[@!+]\(|$/.exec(pattern)?.index);

/** The folders before the first part with anything special in it: `out/runs/*.json` → `out/runs`, `**` → ``. */
export function globBase(pattern: string): string {
  const prefix = globPrefix(pattern);
  return prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')));
}

/** Where a pattern has to be looked for: a plain path itself, the folder that a glob begins in. */
export const globPlace = (pattern: string): string => (isGlob(pattern) ? globBase(pattern) : pattern);

/** Whether a path is a folder's, or the folder itself; `` is the project folder. */
export const isWithin = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

/** The folders that a path lies in, nearest first, without the project folder. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}

/** False only when no path can match both patterns. Sets, braces and groups count as "anything", so true may be wrong. */
export function globsMayMeet(a: string, b: string): boolean {
  const [beginA, beginB] = [globPrefix(a), globPrefix(b)];
  if (!beginA.startsWith(beginB) && !beginB.startsWith(beginA)) return false;
  return sequencesMeet(partsOf(a), partsOf(b), { star: '**', same: partsMeet });
}

const partsMeet = (a: string, b: string): boolean =>
  sequencesMeet([...a], [...b], { star: '*', same: (x, y) => x === '?' || y === '?' || x === y });

/** The parts of a pattern, with nothing special left in them but `*` and `?`. */
function partsOf(pattern: string): string[] {
  let text = pattern;
  // From the inside out, because they can stand in each other; what holds a slash may be any number of parts.
  for (const special of [/\\./g, /\[[^\]/]+\]/g]) text = text.replace(special, '?');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/[@!+*?]?\([^()]*\)|\{[^{}]*\}/g, (group) => (group.includes('/') ? '/**/' : '*'));
  }
  const parts = text.split('/').filter((part) => part !== '');
  // A pattern that ends in a name stands for the folder of that name too, and for all that lies in it.
  return pattern.endsWith('*') ? parts : [...parts, '**'];
}

interface Wildcards {
  /** Stands for any number of items, or none. */
  readonly star: string;
  same(a: string, b: string): boolean;
}

/** Whether some sequence fits both; works backwards through a table, so that many stars take no longer than few. */
function sequencesMeet(a: readonly string[], b: readonly string[], { star, same }: Wildcards): boolean {
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const row: boolean[] = new Array(b.length + 1).fill(false);
    for (let j = b.length; j >= 0; j -= 1) {
      if (i === a.length && j === b.length) row[j] = true;
      else if (a[i] === star || b[j] === star) row[j] = (below[j] ?? false) || (row[j + 1] ?? false);
      else row[j] = i < a.length && j < b.length && same(a[i]!, b[j]!) && below[j + 1]!;
    }
    below = row;
  }
  return below[0]!;
}

/** A file may have a name that would be a pattern. */
export const literally = (file: string): string => file.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
