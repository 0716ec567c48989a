import type { Git } from './git-run.js';

export interface Filtered {
  readonly file: string;
  readonly filter: string;
}

/**
 * Those of the files on whose contents git would run a program, by the attributes of an index: `filters` are the names of those that its settings
 * know. We never run them, so what they make of a file is what we never see, and what any other checkout has.
 */
export async function filteredFiles(
  fresh: Git,
  filters: readonly string[],
  files: readonly string[],
): Promise<readonly Filtered[]> {
  if (filters.length === 0 || files.length === 0) return [];
  const input = `${files.join('\0')}\0`;
  const said = (await fresh.run(['check-attr', '--cached', '-z', '--stdin', 'filter'], { input })).stdout;
  const words = said.toString('utf8').split('\0');
  const known = new Set(filters);
  const found: Filtered[] = [];
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [file = '', , filter = ''] = words.slice(at, at + 3);
    if (known.has(filter)) found.push({ file, filter });
  }
  return found;
}

/** A sentence about one of them. */
export const filterWords = (filter: string): string =>
  `its attributes make git run the filter "${filter}" on it, a program of this machine, so a checkout would give what nobody has seen`;

export const filterFix = (filter: string): string => `take filter=${filter} out of .gitattributes`;
