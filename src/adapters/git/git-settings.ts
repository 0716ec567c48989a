import { hash, randomUUID } from 'node:crypto';
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../command/environment.js';
import { findProgram } from '../command/find-program.js';
import { readWithoutWaiting } from '../disk/plain-file.js';
import { ownPath } from '../process/own-path.js';
import type { GitPlace } from './git-run.js';

/**
 * What follows from git's settings, for as long as the files that can hold them are the same, byte for byte: asking git takes a process
 * each time. Where one of them includes others, git is asked anew. Stamps alone would not tell: there are ways to exchange what is in
 * a file that leave all of them as they were.
 */
export class WhileSame<Value> {
  readonly #files: readonly string[];
  #known: { readonly stamp: string; readonly value: Value } | undefined;

  constructor(env: Environment, commonDir: string) {
    const { HOME = '', XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = env;
    this.#files = [
      join(commonDir, 'config'),
      join(commonDir, 'config.worktree'),
      ...(GIT_CONFIG_SYSTEM === undefined ? ['/etc/gitconfig', besideGit(env)] : [GIT_CONFIG_SYSTEM]),
      ...(GIT_CONFIG_GLOBAL === undefined ? [join(HOME, '.gitconfig')] : [GIT_CONFIG_GLOBAL]),
      join(XDG_CONFIG_HOME ?? join(HOME, '.config'), 'git/config'),
    ];
  }

  /** Whether what is known still holds. */
  holds(place: GitPlace): boolean {
    return this.#known !== undefined && this.#known.stamp === this.#stampAt(place);
  }

  async of(place: GitPlace, ask: () => Promise<{ readonly value: Value; readonly isWhole: boolean }>): Promise<Value> {
    const stamp = this.#stampAt(place);
    if (this.#known?.stamp === stamp) return this.#known.value;
    const { value, isWhole } = await ask();
    // Written so lately that another change might leave the same stamp.
    const isFresh = stamp.split(' ').some((each) => Number(each.split(',')[0] ?? 0) > Date.now() - tickMs);
    this.#known = isWhole && !isFresh ? { stamp, value } : undefined;
    return value;
  }

  #stampAt(place: GitPlace): string {
    const own = place.gitDir === undefined ? [] : [join(place.gitDir, 'config.worktree')];
    return [...own, ...this.#files].map(stampOf).join(' ');
  }
}

/** Of the file and of what it may lead to, and what is in it. */
function stampOf(file: string): string {
  const stamps = [lstatSync, statSync].map((look) => {
    const stats = look(file, { throwIfNoEntry: false });
    return stats ? `${stats.ctimeMs},${stats.mtimeMs},${stats.size},${stats.ino},${stats.mode}` : '-';
  });
  return [...stamps, ...(stamps[1] === '-' ? [] : [`,${contentOf(file)}`])].join(' ');
}

/** Another one each time for what is no file, or cannot be read. */
function contentOf(file: string): string {
  // How one says that there are none.
  if (file === '/dev/null') return '';
  try {
    return hash('sha256', readWithoutWaiting(file));
  } catch {
    return randomUUID();
  }
}

/** Where a git that is not of the system, as from Homebrew, has the settings of the machine. */
function besideGit(env: Environment): string {
  const found = findProgram('git', '/', ownPath(env.PATH));
  return join(found.kind === 'found' ? dirname(dirname(realpathSync(found.file))) : '/usr', 'etc/gitconfig');
}

const tickMs = 50;
