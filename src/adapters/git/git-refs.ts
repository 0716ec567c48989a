import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askGit } from './git-guard-ask.js';
import type { Repository } from './git-guard-find.js';
import { type GitNames, gitNames } from './git-guard-history.js';
import { isOfTask, namesIn, textOf } from './git-own-files.js';

/** Where HEAD, branches, tags and the HEADs of other worktrees were. Plain data. */
export interface RefsBefore extends GitNames {
  /** What the HEAD of each linked worktree of people said, by its name in the repository. */
  readonly heads: Readonly<Record<string, string>>;
}

export interface RefChange {
  /** `HEAD`, `refs/…`, or `worktrees/NAME/HEAD`. */
  readonly name: string;
  /** Absent: it is gone. */
  readonly now?: string;
}

export async function refsBefore(repository: Repository): Promise<RefsBefore> {
  const names = await gitNames(repository);
  // Zeros, or nothing: somebody is making that worktree this moment, and it is at no branch yet.
  const made = Object.entries(headsOf(repository)).filter(([, text]) => !/^0*$/.test(text));
  return { ...names, heads: Object.fromEntries(made) };
}

/**
 * What was switched, moved or deleted. New commits on what is checked out are work, there and in other worktrees; new branches and
 * tags take nothing away. What the runner itself makes is not looked at.
 */
export async function refChanges(repository: Repository, before: RefsBefore): Promise<readonly RefChange[]> {
  const now = await gitNames(repository);
  const heads = headsOf(repository);
  const changes: RefChange[] = [];
  const isForward = (old: string | undefined, fresh: string | undefined): Promise<boolean> =>
    old === undefined || fresh === undefined ? Promise.resolve(old === fresh) : isAncestor(repository, old, fresh);
  if (before.branch !== now.branch || (now.branch === undefined && !(await isForward(before.head, now.head))))
    changes.push({ name: 'HEAD', ...nowIs(now.branch ?? now.head) });
  const checkedOut = new Set([
    before.branch,
    ...Object.values(before.heads).map((text) => /^ref: (.+)$/.exec(text)?.[1]),
  ]);
  for (const [ref, old] of Object.entries(before.refs).filter(([name]) => isOfPeople(name))) {
    const fresh = now.refs[ref];
    if (fresh === old) continue;
    if (checkedOut.has(ref) && fresh !== undefined && (await isForward(old, fresh))) continue;
    if (ref === 'refs/stash' && (await stashed(repository)).has(old)) continue;
    changes.push({ name: ref, ...nowIs(fresh) });
  }
  for (const [name, text] of Object.entries(before.heads)) {
    const fresh = heads[name];
    if (fresh === text || (isCommit(text) && isCommit(fresh) && (await isForward(text, fresh)))) continue;
    changes.push({ name: `worktrees/${name}/HEAD`, ...nowIs(fresh) });
  }
  return changes;
}

const nowIs = (now: string | undefined): { now?: string } => (now === undefined ? {} : { now });

/** Those of remotes can be fetched again; `auto/…` and `refs/autoresearch/…` are the runner's. */
const isOfPeople = (ref: string): boolean => /^refs\/(heads\/(?!auto\/)|tags\/|stash$)/.test(ref);

const isCommit = (text: string | undefined): boolean => /^[0-9a-f]{40,64}$/.test(text ?? '');

async function isAncestor(repository: Repository, old: string, fresh: string): Promise<boolean> {
  try {
    await askGit(repository, ['merge-base', '--is-ancestor', old, fresh]);
    return true;
  } catch (error) {
    if ((error as { exitCode?: unknown }).exitCode === 1) return false;
    throw error;
  }
}

/** Everything that is put aside, and not only the newest of it. */
async function stashed(repository: Repository): Promise<ReadonlySet<string>> {
  try {
    return new Set((await askGit(repository, ['reflog', 'show', '--format=%H', 'refs/stash'])).split('\n'));
  } catch {
    return new Set();
  }
}

/** Linked worktrees that are not the runner's. */
function headsOf({ commonDir, gitDir }: Repository): Record<string, string> {
  const heads: Record<string, string> = {};
  for (const name of namesIn(join(commonDir, 'worktrees'))) {
    const folder = join(commonDir, 'worktrees', name);
    if (folder === gitDir || isOfTask(folder)) continue;
    const text = textOf(join(folder, 'HEAD'));
    if (text !== undefined) heads[name] = text;
  }
  return heads;
}

/** When it was last touched, as far as the disk tells: what was written when nobody was at work is people's own. */
export function touchedMs({ gitDir, commonDir }: Repository, name: string): number {
  const files =
    name === 'HEAD'
      ? [join(gitDir, 'HEAD')]
      : name.startsWith('worktrees/')
        ? [join(commonDir, name), join(commonDir, dirname(dirname(name)))]
        : [join(commonDir, name), join(commonDir, dirname(name)), join(commonDir, 'packed-refs')];
  // The first that is there: a loose ref outranks the packed one, and of one that is gone its folder tells.
  const [first = 0] = files
    .map((file) => lstatSync(file, { throwIfNoEntry: false })?.ctimeMs)
    .filter((at) => at !== undefined);
  return first;
}
