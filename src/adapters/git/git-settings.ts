import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../command/environment.js';
import type { GitPlace } from './git-run.js';

/**
 * What follows from git's settings, for as long as none of the files that can hold them was written: asking git takes a
 * process each time. Where one of them includes others, git is asked anew.
 */
export class WhileSame<Value> {
  readonly #files: readonly string[];
  #known: { readonly stamp: string; readonly value: Value } | undefined;

  constructor(env: Environment, commonDir: string) {
    const { HOME = '', XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM } = env;
    this.#files = [
      join(commonDir, 'config'),
      join(commonDir, 'config.worktree'),
      GIT_CONFIG_SYSTEM ?? '/etc/gitconfig',
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

/** Of the file and of what it may lead to. */
function stampOf(file: string): string {
  return [lstatSync, statSync]
    .map((look) => {
      const stats = look(file, { throwIfNoEntry: false });
      return stats ? `${stats.ctimeMs},${stats.mtimeMs},${stats.size},${stats.ino},${stats.mode}` : '-';
    })
    .join(' ');
}

const tickMs = 50;
