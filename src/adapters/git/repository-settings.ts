import type { Git } from './git-run.js';

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** What follows from git's settings. */
export interface RepositorySettings {
  /** All of them; a key may be there more than once, and the last one counts. */
  readonly listed: Pairs;
  /** With the programs turned off that they name for filters and merges. */
  readonly harmless: Pairs;
  readonly identity: Identity;
}

export type Pairs = readonly (readonly [key: string, value: string])[];

/** `isWhole`: nothing of it stands in files that are included. */
export async function askSettings(
  git: Git,
): Promise<{ readonly value: RepositorySettings; readonly isWhole: boolean }> {
  const said = (await git.run(['config', '--list', '-z'])).stdout.toString('utf8');
  const listed = said.split('\0').filter(Boolean).map(keyAndValue);
  const isWhole = !listed.some(([key]) => /^include(if)?\./i.test(key));
  return { value: { listed, harmless: harmlessIn(listed), identity: identityIn(listed) }, isWhole };
}

function keyAndValue(entry: string): readonly [string, string] {
  const end = entry.indexOf('\n');
  return end < 0 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
}

/**
 * A filter that does nothing, and a merge driver that always sees a conflict: an empty driver would pass for a merge and
 * drop one side.
 */
function harmlessIn(listed: Pairs): Pairs {
  const config: [string, string][] = [];
  for (const [key] of listed) {
    const filter = /^filter\.(.+)\.(clean|smudge|process|required)$/s.exec(key);
    if (filter) config.push([key, filter[2] === 'required' ? 'false' : '']);
    if (/^merge\.(.+)\.driver$/s.test(key)) config.push([key, 'false']);
  }
  return config;
}

/** The filters that there is a program for. */
export const filtersIn = (listed: Pairs): readonly string[] => [
  ...new Set(listed.flatMap(([key]) => /^filter\.(.+)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? [])),
];

function identityIn(listed: Pairs): Identity {
  const said = (wanted: string): string => listed.findLast(([key]) => key === wanted)?.[1] ?? '';
  const [name, email] = [said('user.name'), said('user.email')];
  return name.trim() === '' || email.trim() === ''
    ? { name: 'autoresearch', email: 'autoresearch@localhost' }
    : { name, email };
}
