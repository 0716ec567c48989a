import { globPlace } from '../../model/glob.js';
import type { GlobMatch } from '../../source/glob.js';
import { ancestorsOf } from './vault-path.js';

/** What a set of globs asks for, worked out once. */
export interface VaultRules {
  readonly patterns: readonly string[];
  readonly leaveOut: readonly string[];
  /** Where looking has to begin: the parts of the globs that hold no wildcard. */
  readonly bases: readonly string[];
  /** `below`: the path and all that is in it. */
  reachOf(path: string): 'below' | 'itself' | undefined;
  isLeftOut(path: string): boolean;
}

export interface LeaveOut {
  /** Globs below the root that nobody guards, with all that is in them. `.git` and `.autoresearch` of the root unless stated. */
  readonly leaveOut?: readonly string[];
}

export function vaultRules(match: GlobMatch, given: readonly string[], options: LeaveOut = {}): VaultRules {
  const patterns = given.map(cleaned);
  const leaveOut = (options.leaveOut ?? leftOut).map(cleaned);
  const fits = (pattern: string, path: string): boolean =>
    isWild(pattern)
      ? // The library's `.` stops at a line break, and a name may hold one.
        match(flat(pattern), flat(path))
      : path.startsWith(pattern) && (path.length === pattern.length || path[pattern.length] === '/');
  const isLeftOut = (path: string): boolean => leaveOut.some((pattern) => fits(pattern, path));
  return {
    patterns,
    leaveOut,
    bases: [...new Set(patterns.map(globPlace))].sort(),
    isLeftOut,
    reachOf: (path) => {
      const fitting = patterns.filter((pattern) => fits(pattern, path));
      if (fitting.length === 0) return undefined;
      return fitting.some(reachesBelow) ? 'below' : 'itself';
    },
  };
}

/** Unless stated. */
export const leftOut: readonly string[] = ['.git', '.autoresearch'];

/** Whether a path is guarded, also when that follows only from a folder above it. */
export function isGuarded(rules: VaultRules, path: string): boolean {
  const above = ancestorsOf(path);
  if ([...above, path].some((one) => rules.isLeftOut(one))) return false;
  return rules.reachOf(path) !== undefined || above.some((one) => rules.reachOf(one) === 'below');
}

function cleaned(pattern: string): string {
  const clean = pattern.replace(/^(\.\/+)+/, '').replace(/\/+$/, '');
  const isBelow = clean !== '' && !clean.startsWith('/') && !clean.includes('//');
  if (isBelow && clean.split('/').every((part) => part !== '..' && part !== '.')) return clean;
  throw new Error(`'${pattern}' is no pattern for files below the project's folder`);
}

const isWild = (text: string): boolean => /[*?[\]{}()!+@|\\]/.test(text);

/** As the file search takes it: a name stands for a folder too. */
const reachesBelow = (pattern: string): boolean =>
  !pattern.startsWith('!') && (!pattern.endsWith('*') || pattern === '**' || pattern.endsWith('/**'));

const flat = (text: string): string => text.replace(/[\n\r\u2028\u2029]/g, '\x01');
