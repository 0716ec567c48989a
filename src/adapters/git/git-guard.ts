import { join, relative } from 'node:path';
import { type Kept, openVault, type Vault, type VaultChange } from '../vault/vault.js';
import { findRepository, type Repository } from './git-guard-find.js';
import { type GitHistory, type GitNames, gitHistory, gitNames } from './git-guard-history.js';
import { type FlagChange, flagChanges, type IndexFlags, indexFlags, putFlagsBack } from './git-guard-index.js';
import { type OtherIndex, otherFlagChanges, otherIndexes, putOtherFlagsBack } from './git-guard-others.js';

/** Watches what in a repository could trick later steps: settings, hooks, rules, flags of the index. */
export interface GitGuard {
  /** `paths`: files and folders, relative to the project, whose flags and commits matter. */
  before(paths: readonly string[], options?: { readonly isWide?: boolean }): Promise<GitBefore>;
  compare(before: GitBefore): Promise<GitChanges>;
  /** Settings, hooks, rules and flags; never the history. What stood there goes to the folder `evidence`. */
  putBack(before: GitBefore, options: { readonly evidence: string }): Promise<GitPutBack>;
}

/** Plain data; the files themselves are in the vault under these digests. */
export interface GitBefore {
  readonly paths: readonly string[];
  /** Flags that hide changes matter wherever they are in the project. */
  readonly isWide?: boolean;
  readonly files: readonly string[];
  readonly flags: IndexFlags;
  /** Those of other worktrees and of submodules; absent in notes of older versions. */
  readonly others?: readonly OtherIndex[];
  readonly names: GitNames;
}

export interface GitChanges {
  /** Paths relative to the project's folder, such as `.git/hooks/pre-commit`. */
  readonly files: readonly VaultChange[];
  readonly flags: readonly FlagChange[];
  /** To be told; undefined when git could not be asked. */
  readonly history?: GitHistory;
  /** Why flags or history are not known. Not knowing is no "nothing". */
  readonly problems: readonly string[];
}

export interface GitPutBack {
  readonly restored: readonly string[];
  readonly evidence: readonly string[];
  readonly problems: readonly string[];
}

/** `dir` is for the copies: absolute, outside of the project and of the repository. Undefined outside of a repository. */
export async function openGitGuard(root: string, { dir }: { readonly dir: string }): Promise<GitGuard | undefined> {
  const repository = findRepository(root);
  if (!repository) return undefined;
  await openVault({ root: repository.root, dir });
  const parts = await watchedParts(repository, dir);
  const findFiles = (before: GitBefore) =>
    parts.map((part, index) => {
      const kept = part.vault.load(before.files[index] ?? '');
      return { ...part, kept, changes: part.vault.changes(kept, { thorough: true }) };
    });
  const compare = async (before: GitBefore): Promise<GitChanges> => {
    await locksGone(() => findFiles(before).flatMap(({ changes }) => changes));
    const files = findFiles(before).flatMap(({ changes, folder }) =>
      changes.map((one) => named(one, folder, repository)),
    );
    return { files, ...(await askAll(repository, before, files)) };
  };
  return {
    before: async (paths, { isWide = false } = {}) => ({
      paths,
      ...(isWide ? { isWide } : {}),
      files: (await keptWithoutLocks(parts)).map(({ digest }) => digest),
      flags: await indexFlags(repository, { paths, isWide }),
      others: await otherIndexes(repository, { paths, isWide }),
      names: await gitNames(repository),
    }),
    compare,
    putBack: async (before, { evidence }) => {
      const done = findFiles(before).map(({ vault, kept, changes, folder }, index) => {
        const { restored, ...rest } = vault.putBack(kept, changes, { evidence: join(evidence, String(index)) });
        return { ...rest, restored: restored.map((path) => nameIn(path, folder, repository)) };
      });
      const problems = done.flatMap((one) => one.problems);
      const flags = problems.length > 0 ? [] : await restoreFlags(repository, before, problems);
      return {
        restored: [...done.flatMap((one) => one.restored), ...flags],
        evidence: done.flatMap((one) => one.evidence),
        problems,
      };
    },
  };
}

interface Part {
  readonly folder: string;
  readonly vault: Vault;
  readonly patterns: readonly string[];
}

/** Locks are watched because one that is left behind stops every later git. */
const ofWorkTree = ['config.worktree', 'info/**', 'index.lock', 'HEAD.lock', 'commondir', 'gitdir'];
const ofRepository = [
  'config',
  'config.lock',
  'hooks/**',
  'info/**',
  'objects/info/alternates',
  'refs/replace/**',
  'shallow',
  'modules/**/config',
  'modules/**/hooks/**',
  'modules/**/info/**',
  'worktrees/*/config.worktree',
];
const leaveOut = ['modules/**/objects', 'modules/**/refs', 'modules/**/logs'];

async function watchedParts(repository: Repository, dir: string): Promise<readonly Part[]> {
  const { top, gitDir, commonDir } = repository;
  const part = async (folder: string, patterns: readonly string[]): Promise<Part> => ({
    folder,
    patterns,
    vault: await openVault({ root: folder, dir }),
  });
  const doors = await part(top, doorsOf(repository));
  if (gitDir === commonDir) return [doors, await part(gitDir, [...ofRepository, ...ofWorkTree])];
  return [doors, await part(gitDir, ofWorkTree), await part(commonDir, ofRepository)];
}

/** What decides which repository git finds: the pointer, and that there is no other one nearer to the project. */
function doorsOf({ root, top, isPointed }: Repository): readonly string[] {
  const below = relative(top, root)
    .split('/')
    .filter((name) => name !== '');
  const nearer = below.map((_, index) => [...below.slice(0, index + 1), '.git'].map(literal).join('/'));
  return isPointed ? ['.git', ...nearer] : nearer;
}

const literal = (name: string): string => name.replace(/[*?[\]{}()!+@|\\]/g, '\\$&');

/** Somebody's git may be at work this moment; what is still locked after a second was left behind. */
async function locksGone(look: () => readonly VaultChange[]): Promise<void> {
  for (let turn = 0; turn < 10 && look().some(({ path }) => path.endsWith('.lock')); turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

/** A lock that is there for a moment is no part of the repository: kept, it would be missed as soon as it is gone. */
async function keptWithoutLocks(parts: readonly Part[]): Promise<readonly Kept[]> {
  const isLocked = ({ entries }: Kept): boolean =>
    [...entries].some(([path, { type }]) => type === 'file' && path.endsWith('.lock'));
  for (let turn = 0; ; turn += 1) {
    const kept = parts.map(({ vault, patterns }) => vault.keep(patterns, { leaveOut }));
    if (turn === 10 || !kept.some(isLocked)) return kept;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Git is asked only while it would still answer for the same repository. */
async function askAll(
  repository: Repository,
  before: GitBefore,
  files: readonly VaultChange[],
): Promise<Omit<GitChanges, 'files'>> {
  const moved = files.find(({ path }) => /(^|\/)(\.git|commondir|gitdir)$/.test(path) || path.endsWith('/.'));
  if (moved) return { flags: [], problems: [`git was not asked, because ${moved.path} is not what it was`] };
  try {
    const [now, history] = [
      await indexFlags(repository, before),
      await gitHistory(repository, before.names, before.paths),
    ];
    const others = await otherFlagChanges(before.others ?? [], repository);
    const elsewhere = others.map(({ path, flag, how }) => ({ path, flag, how }));
    return { flags: [...flagChanges(before.flags, now), ...elsewhere], history, problems: [] };
  } catch (error) {
    return { flags: [], problems: [(error as Error).message] };
  }
}

/** Looked at anew: what could not be asked before the settings were put back can be now. */
async function restoreFlags(repository: Repository, before: GitBefore, problems: string[]): Promise<readonly string[]> {
  try {
    const changes = flagChanges(before.flags, await indexFlags(repository, before));
    await putFlagsBack(repository, changes);
    const left = flagChanges(before.flags, await indexFlags(repository, before));
    const isLeft = new Set(left.map(({ path, flag }) => `${path}\0${flag}`));
    problems.push(...left.map(({ path, flag, how }) => `the flag ${flag} of ${path} is still ${how}`));
    const restored = changes.flatMap(({ path, flag }) => (isLeft.has(`${path}\0${flag}`) ? [] : [`${path} (${flag})`]));
    return [...restored, ...(await putOtherFlagsBack(before.others ?? [], repository, problems))];
  } catch (error) {
    problems.push((error as Error).message);
    return [];
  }
}

const named = ({ path, how }: VaultChange, folder: string, repository: Repository): VaultChange => ({
  path: nameIn(path, folder, repository),
  how,
});

const nameIn = (path: string, folder: string, { root }: Repository): string =>
  path === '.' ? `${relative(root, folder)}/.` : relative(root, join(folder, path));
