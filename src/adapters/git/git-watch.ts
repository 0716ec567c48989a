import { randomUUID } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Breach, GitWatch } from '../../model/files/guard.js';
import { newFolder } from '../disk/new-folder.js';
import { type GitBefore, openGitGuard } from './git-guard.js';
import { findRepository, type Repository } from './git-guard-find.js';
import { type RefChange, type RefsBefore, refChanges, refsBefore, touchedMs } from './git-refs.js';
import { copyIndex, type IndexCopy, putRefsBack } from './git-refs-put-back.js';

export interface GitWatchPlaces {
  readonly root: string;
  /** Absolute: for copies, outside of the project. */
  readonly dir: string;
  /** Absolute: for what was found. */
  readonly evidence: string;
  /** Protected files and folders, without wildcards. Absent: git's settings, hooks and flags are not watched either. */
  readonly paths?: readonly string[];
  /** Flags of the index that hide changes are watched in the whole project. */
  readonly isWide?: boolean;
  /** What HEAD of the checkout does is looked at elsewhere. */
  readonly isHeadApart?: boolean;
}

/** What a repository was like. Plain data; the copies are in the folder. */
export interface NotedGit {
  readonly refs: RefsBefore;
  readonly index?: IndexCopy;
  readonly settings?: GitBefore;
  readonly isHeadApart?: boolean;
}

export interface NotingGitWatch extends GitWatch {
  readonly noted: NotedGit;
}

/** Undefined outside of a repository. */
export async function watchGit(places: GitWatchPlaces): Promise<NotingGitWatch | undefined> {
  const { root, dir, paths, isWide = false, isHeadApart = false } = places;
  const repository = findRepository(root);
  if (!repository) return undefined;
  const guard = paths ? await openGitGuard(root, { dir }) : undefined;
  const settings = paths && (await guard?.before(paths, { isWide }));
  const index = isHeadApart ? undefined : copyIndex(repository, join(dir, `index-${randomUUID()}`));
  const noted: NotedGit = {
    refs: await refsBefore(repository),
    ...(index ? { index } : {}),
    ...(settings ? { settings } : {}),
    ...(isHeadApart ? { isHeadApart } : {}),
  };
  return {
    noted,
    async end() {
      const breach = await gitBreachOf(noted, places);
      if (index) rmSync(index.file, { force: true });
      return breach;
    },
  };
}

/** Looks, and puts back. `untilMs`: what was touched later was not the agent's doing. */
export async function gitBreachOf(
  noted: NotedGit,
  { root, dir, evidence, untilMs = Number.POSITIVE_INFINITY }: GitWatchPlaces & { readonly untilMs?: number },
): Promise<Breach | undefined> {
  const guard = noted.settings ? await openGitGuard(root, { dir }) : undefined;
  const found = guard ? await guard.compare(noted.settings!) : undefined;
  const settings = [...(found?.files ?? []), ...(found?.flags ?? [])].map(({ path }) => path);
  let folder: string | undefined;
  const place = (): string => (folder ??= newFolder(evidence, realpathSync(root)));
  const isWrong = settings.length > 0 || (found?.problems.length ?? 0) > 0;
  // First, so that git is asked about the repository that it was.
  const done =
    guard && isWrong ? await guard.putBack(noted.settings!, { evidence: join(place(), 'files') }) : undefined;
  const { changes, problems } = await refsBack(root, noted, untilMs);
  const names = [...settings, ...changes.map(({ name }) => name)];
  const wrong = [...(found?.problems ?? []), ...(done?.problems ?? []), ...problems];
  if (names.length === 0 && wrong.length === 0) return undefined;
  return { files: names.length === 0 ? ['.git'] : [...new Set(names)], evidence: place(), problems: wrong };
}

async function refsBack(root: string, noted: NotedGit, untilMs: number): Promise<Refs> {
  try {
    const repository = findRepository(root);
    if (!repository) throw new Error('the repository is gone');
    const { refs: before, index } = noted;
    const changes = await movedRefs(repository, noted, untilMs);
    return { changes, problems: await putRefsBack(repository, { before, changes, index }) };
  } catch (error) {
    return { changes: [], problems: [(error as Error).message] };
  }
}

interface Refs {
  readonly changes: readonly RefChange[];
  readonly problems: readonly string[];
}

async function movedRefs(
  repository: Repository,
  { refs, isHeadApart }: NotedGit,
  untilMs: number,
): Promise<readonly RefChange[]> {
  const changes = (await refChanges(repository, refs)).filter(({ name }) => touchedMs(repository, name) <= untilMs);
  const isApart = (name: string): boolean => isHeadApart === true && (name === 'HEAD' || name === refs.branch);
  return changes.filter(({ name }) => !isApart(name));
}
