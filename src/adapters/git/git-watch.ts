import { randomUUID } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Breach, GitWatch, TellFound } from '../../model/files/guard.js';
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
    async end(found) {
      const breach = await gitBreachOf(noted, { ...places, ...(found ? { found } : {}) });
      if (index) rmSync(index.file, { force: true });
      return breach;
    },
  };
}

export interface GitLook extends GitWatchPlaces {
  /** What was touched later was not the agent's doing. */
  readonly untilMs?: number;
  readonly found?: TellFound;
}

/** Looks, and puts back. */
export async function gitBreachOf(noted: NotedGit, look: GitLook): Promise<Breach | undefined> {
  const { root, evidence } = look;
  let folder: string | undefined;
  const place = (): string => (folder ??= newFolder(evidence, realpathSync(root)));
  const tell = (files: readonly string[]): void => look.found?.({ files: named(files), evidence: place() });
  // First, so that git is asked about the repository that it was.
  const { settings, problems: unsettled } = await settingsBack(noted, look, { place, tell });
  const tellRefs = (refs: readonly string[]): void => tell([...settings, ...refs]);
  const { changes, problems } = await refsBack(noted, look, tellRefs);
  const names = [...settings, ...changes.map(({ name }) => name)];
  const wrong = [...unsettled, ...problems];
  if (names.length === 0 && wrong.length === 0) return undefined;
  return { files: named(names), evidence: place(), problems: wrong };
}

const named = (files: readonly string[]): readonly string[] => (files.length === 0 ? ['.git'] : [...new Set(files)]);

interface Telling {
  place(): string;
  tell(files: readonly string[]): void;
}

interface Settings {
  readonly settings: readonly string[];
  readonly problems: readonly string[];
}

/** Whoever can spoil the copies must not be able to stop the runner with it: what cannot be compared is a breach. */
async function settingsBack({ settings: before }: NotedGit, look: GitLook, telling: Telling): Promise<Settings> {
  let settings: readonly string[] = [];
  try {
    const guard = before && (await openGitGuard(look.root, look));
    if (!guard) return { settings, problems: [] };
    const { files, flags, problems } = await guard.compare(before);
    settings = [...files, ...flags].map(({ path }) => path);
    if (settings.length === 0 && problems.length === 0) return { settings, problems };
    telling.tell(settings);
    const done = await guard.putBack(before, { evidence: join(telling.place(), 'files') });
    return { settings, problems: [...problems, ...done.problems] };
  } catch (error) {
    const why = `what git's settings, hooks and flags were like is not known any more: ${(error as Error).message}`;
    return { settings, problems: [why] };
  }
}

async function refsBack(
  noted: NotedGit,
  { root, untilMs = Number.POSITIVE_INFINITY }: GitLook,
  tell: (names: readonly string[]) => void,
): Promise<Refs> {
  let changes: readonly RefChange[] = [];
  try {
    const repository = findRepository(root);
    if (!repository) throw new Error('the repository is gone');
    const { refs: before, index } = noted;
    changes = await movedRefs(repository, noted, untilMs);
    if (changes.length > 0) tell(changes.map(({ name }) => name));
    return { changes, problems: await putRefsBack(repository, { before, changes, index }) };
  } catch (error) {
    return { changes, problems: [(error as Error).message] };
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
