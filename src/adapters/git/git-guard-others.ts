import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isWithin } from '../../model/glob.js';
import { askGit } from './git-guard-ask.js';
import type { Repository } from './git-guard-find.js';
import {
  type FlagChange,
  type FlagWish,
  flagChanges,
  type IndexFlags,
  indexFlags,
  putFlagsBack,
} from './git-guard-index.js';
import { isOfTask, namesIn, textOf } from './git-own-files.js';

/** The index of another worktree of people, or of a submodule, as it was. Plain data. */
export interface OtherIndex {
  readonly top: string;
  readonly gitDir: string;
  /** Which of its flags matter. */
  readonly wish: FlagWish;
  readonly flags: IndexFlags;
  /** While its file has this stamp nobody has written it. */
  readonly stamp: string;
}

type Place = Pick<OtherIndex, 'top' | 'gitDir' | 'wish'>;

/** One that cannot be read now tells nothing later. */
export async function otherIndexes(repository: Repository, wish: FlagWish): Promise<readonly OtherIndex[]> {
  if (wish.paths.length === 0 && !wish.isWide) return [];
  const found: OtherIndex[] = [];
  for (const place of [...worktreesBeside(repository), ...(await submodulesOf(repository, wish))]) {
    try {
      // First: who writes while it is read is found then.
      const stamp = stampOf(place);
      found.push({ ...place, stamp, flags: await indexFlags(asRepository(place), place.wish) });
    } catch {
      // As broken as it was before.
    }
  }
  return found;
}

/** Named as seen from the project. */
export async function otherFlagChanges(
  others: readonly OtherIndex[],
  { root }: Repository,
): Promise<readonly (FlagChange & { readonly of: OtherIndex; readonly own: string })[]> {
  const changes = [];
  for (const other of others) {
    // One that was taken away has no flags, and its files are looked at elsewhere.
    if (!existsSync(other.top) || !existsSync(other.gitDir) || stampOf(other) === other.stamp) continue;
    for (const change of flagChanges(other.flags, await indexFlags(asRepository(other), other.wish)))
      changes.push({ ...change, own: change.path, path: relative(root, join(other.top, change.path)), of: other });
  }
  return changes;
}

/** Tells what was put back; `problems` gets what was not. */
export async function putOtherFlagsBack(
  others: readonly OtherIndex[],
  repository: Repository,
  problems: string[],
): Promise<readonly string[]> {
  const changes = await otherFlagChanges(others, repository);
  for (const other of new Set(changes.map(({ of }) => of))) {
    const own = changes.filter(({ of }) => of === other).map(({ own: path, flag, how }) => ({ path, flag, how }));
    await putFlagsBack(asRepository(other), own);
  }
  const left = await otherFlagChanges(others, repository);
  problems.push(...left.map(({ path, flag, how }) => `the flag ${flag} of ${path} is still ${how}`));
  const isLeft = new Set(left.map(({ path, flag }) => `${path}\0${flag}`));
  return changes.flatMap(({ path, flag }) => (isLeft.has(`${path}\0${flag}`) ? [] : [`${path} (${flag})`]));
}

/** Nobody who works here has anything to do there, so all flags matter that hide something. */
const all: FlagWish = { paths: [], isWide: true };

/** Other checkouts of the same repository, but for those of tasks. */
function worktreesBeside({ commonDir, gitDir }: Repository): readonly Place[] {
  const first = basename(commonDir) === '.git' ? [{ top: dirname(commonDir), gitDir: commonDir, wish: all }] : [];
  const linked = namesIn(join(commonDir, 'worktrees')).flatMap((name) => {
    const own = join(commonDir, 'worktrees', name);
    const text = textOf(join(own, 'gitdir'));
    return text === undefined ? [] : [{ top: dirname(resolve(own, text)), gitDir: own, wish: all }];
  });
  return [...first, ...linked].filter(
    (place) => place.gitDir !== gitDir && existsSync(place.top) && !isOfTask(place.gitDir) && hasIndex(place.gitDir),
  );
}

/** Of the project, however deep. */
async function submodulesOf(repository: Repository, wish: FlagWish): Promise<readonly Place[]> {
  const listed = (await askGit(repository, ['ls-files', '-s', '-z'])).split('\0');
  const found: Place[] = [];
  for (const entry of listed.filter((one) => one.startsWith('160000 '))) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    const own = wishIn(path, wish);
    const gitDir = pointedFrom(join(repository.root, path));
    if (!own || gitDir === undefined || !hasIndex(gitDir)) continue;
    const place = { top: join(repository.root, path), gitDir, wish: own };
    found.push(place, ...(await submodulesOf(asRepository(place), own)));
  }
  return found;
}

/** The same wish as seen from inside of the submodule; undefined when nothing in it matters. */
function wishIn(path: string, { paths, isWide }: FlagWish): FlagWish | undefined {
  if (isWide || paths.some((one) => isWithin(path, one))) return all;
  const inner = paths.flatMap((one) => (isWithin(one, path) ? [relative(path, one)] : []));
  return inner.length > 0 ? { paths: inner } : undefined;
}

function pointedFrom(top: string): string | undefined {
  const pointer = join(top, '.git');
  const stats = lstatSync(pointer, { throwIfNoEntry: false });
  try {
    if (stats?.isDirectory()) return realpathSync(pointer);
    const said = stats?.isFile() ? /^gitdir: (.+)$/.exec(textOf(pointer) ?? '')?.[1] : undefined;
    return said === undefined ? undefined : realpathSync(resolve(top, said));
  } catch {
    return undefined;
  }
}

const asRepository = ({ top, gitDir }: Pick<Place, 'top' | 'gitDir'>): Repository => ({
  root: top,
  top,
  gitDir,
  commonDir: gitDir,
  isPointed: true,
});

const hasIndex = (gitDir: string): boolean =>
  lstatSync(join(gitDir, 'index'), { throwIfNoEntry: false })?.isFile() === true;

function stampOf({ gitDir }: Pick<Place, 'gitDir'>): string {
  const stats = lstatSync(join(gitDir, 'index'), { throwIfNoEntry: false, bigint: true });
  return stats ? [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ') : 'none';
}
