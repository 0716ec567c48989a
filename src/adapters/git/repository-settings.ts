import { hash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../command/environment.js';
import { findProgram } from '../command/find-program.js';
import { ownPath } from '../own-path.js';
import type { Git } from './git-run.js';
import type { ConversionRules } from './known-index.js';

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
  /** Absent where attributes may stand in files that nobody knows of. */
  readonly rules?: ConversionRules;
}

export type Pairs = readonly (readonly [key: string, value: string])[];

/** `isWhole`: nothing of it stands in files that are included. */
export async function askSettings(
  git: Git,
  of: { readonly env: Environment; readonly commonDir: string },
): Promise<{ readonly value: RepositorySettings; readonly isWhole: boolean }> {
  const said = (await git.run(['config', '--list', '-z'])).stdout;
  const listed = said.toString('utf8').split('\0').filter(Boolean).map(keyAndValue);
  const isWhole = !listed.some(([key]) => /^include(if)?\./i.test(key));
  const isPlain = !listed.some(([key]) => key === 'core.attributesfile');
  const rules = { digest: hash('sha256', said), files: attributeFiles(of) };
  const value = { listed, harmless: harmlessIn(listed), identity: identityIn(listed), ...(isPlain ? { rules } : {}) };
  return { value, isWhole };
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

function identityIn(listed: Pairs): Identity {
  const said = (wanted: string): string => listed.findLast(([key]) => key === wanted)?.[1] ?? '';
  const [name, email] = [said('user.name'), said('user.email')];
  return name.trim() === '' || email.trim() === ''
    ? { name: 'autoresearch', email: 'autoresearch@localhost' }
    : { name, email };
}

/** Where git looks for attributes besides the folders of a checkout. */
function attributeFiles({ env, commonDir }: { env: Environment; commonDir: string }): readonly string[] {
  const { HOME = '', XDG_CONFIG_HOME } = env;
  const found = findProgram('git', '/', ownPath(env.PATH));
  const prefix = found.kind === 'found' ? dirname(dirname(realpathSync(found.file))) : '/usr';
  return [
    join(commonDir, 'info/attributes'),
    '/etc/gitattributes',
    join(prefix, 'etc/gitattributes'),
    join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'git/attributes'),
  ].filter(isAbsolute);
}
