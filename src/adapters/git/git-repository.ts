import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../command/environment.js';
import { type CommitRead, commitSaid, PackedCommits, readLooseCommit } from './commit-files.js';
import { findRepository } from './git-guard-find.js';
import { GitProblem } from './git-problem.js';
import { type Git, type GitPlace, gitAt } from './git-run.js';
import { WhileSame } from './git-settings.js';
import { hasNamesake, type RefFound, readRef } from './ref-files.js';
import { askSettings, filtersIn, type Identity, type RepositorySettings } from './repository-settings.js';

/** The repository that a project is in, and the checkout of it that the person works in (`main` here, whatever its branch). */
export interface Repository {
  /** The top folder of the checkout. All file names are relative to it. */
  readonly top: string;
  readonly gitDir: string;
  /** What all checkouts share. */
  readonly commonDir: string;
  /** The file of the mutex, which also marks what changes the repository. */
  readonly tether: string;
  readonly identity: Identity;
  /** All settings, as they are at this moment. */
  settings(): Promise<RepositorySettings>;
  /** With the programs that the configuration names for filters and merges turned off, as it is at this moment. */
  git(place?: Partial<GitPlace>): Promise<Git>;
  /** The same for questions, which nobody has to wait for. */
  look(place?: Partial<GitPlace>): Promise<Git>;
  /** Filters that the configuration has a program for, at this moment. */
  filters(): Promise<readonly string[]>;
}

export type { Identity } from './repository-settings.js';

export interface RepositoryOptions {
  readonly env: Environment;
  /** In the repository unless stated: whoever changes it, from whichever folder, waits for the others. */
  readonly tether?: string;
  /** A folder outside of the repository for what looking at it takes; whoever only looks leaves no trace in there then. */
  readonly scratch?: string;
}

export async function openRepository(
  root: string,
  { env, scratch, ...options }: RepositoryOptions,
): Promise<Repository> {
  const { top, gitDir, commonDir, commits, known } = await foundAt(root, env);
  const tether = options.tether ?? join(commonDir, 'autoresearch.lock');
  const main = { cwd: top, gitDir, commonDir, workTree: top, ...(scratch === undefined ? {} : { scratch }) };
  const settingsAt = (place: GitPlace): Promise<RepositorySettings> =>
    known.of(place, () => askSettings(gitAt(place, noSettings(env))));
  const bound = async (place: Partial<GitPlace>, mark: string): Promise<Git> => {
    const wanted = { ...main, ...place, ...(place.workTree === undefined ? {} : { cwd: place.workTree }) };
    return gitAt(wanted, { env, tether: mark, config: (await settingsAt(wanted)).harmless, commits });
  };
  return {
    top,
    gitDir,
    commonDir,
    tether,
    identity: (await settingsAt(main)).identity,
    settings: () => settingsAt(main),
    git: (place = {}) => bound(place, tether),
    look: (place = {}) => bound(place, ''),
    filters: async () => filtersIn((await settingsAt(main)).listed),
  };
}

interface FoundRepository {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly commits: PackedCommits;
  readonly known: WhileSame<RepositorySettings>;
}

const opened = new Map<string, FoundRepository>();

/** A loop opens its repository several times in each iteration; git is asked again once its settings or the way to it have changed. */
async function foundAt(root: string, env: Environment): Promise<FoundRepository> {
  const names = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM'];
  const key = JSON.stringify([root, ...names.map((name) => env[name] ?? null)]);
  const before = opened.get(key);
  if (before && isStillAt(root, before)) return before;
  const found = await askWhere(root, env);
  if (opened.size >= mostOpened) opened.clear();
  opened.set(key, found);
  return found;
}

const mostOpened = 16;

function isStillAt(root: string, { known, ...found }: FoundRepository): boolean {
  try {
    const now = findRepository(root);
    const isSame = now?.top === found.top && now.gitDir === found.gitDir && now.commonDir === found.commonDir;
    return isSame && known.holds({ cwd: found.top, gitDir: found.gitDir });
  } catch {
    return false;
  }
}

async function askWhere(root: string, env: Environment): Promise<FoundRepository> {
  const first = gitAt({ cwd: root }, noSettings(env));
  await checkVersion(first);
  const wanted = ['--is-bare-repository', '--absolute-git-dir', '--path-format=absolute', '--git-common-dir'];
  const found = await first.run(['rev-parse', ...wanted, '--show-toplevel'], { accept: [0, 128] });
  const [isBare, gitDir = '', shared = '', toplevel = ''] = found.stdout.toString('utf8').split('\n');
  if (isBare === 'true') throw bare(root);
  if (found.code !== 0) throw notThere(root, found.stderr);
  const commonDir = realpathSync(shared);
  return {
    top: realpathSync(toplevel),
    gitDir: realpathSync(gitDir),
    commonDir,
    commits: new PackedCommits(),
    known: new WhileSame(env, commonDir),
  };
}

const noSettings = (env: Environment) => ({ env, tether: '', config: [] });

/** Throws when files of this commit would not be what they seem, or could get lost, in a worktree of ours. */
export async function checkSupported(git: Git, commit: string, repo: Repository): Promise<void> {
  // Some of them are ours, which turn off what is asked about here; they come last, and all count.
  for (const [key, value] of (await repo.settings()).listed) {
    if (key === 'core.sparsecheckout' && value !== 'false') throw unsupported('a sparse checkout');
    if (key === 'extensions.partialclone' || /^remote\..*\.promisor$/s.test(key)) throw unsupported('a partial clone');
  }
  const info = join(repo.commonDir, 'info', 'attributes');
  if (existsSync(info)) checkAttributes(info, readFileSync(info, 'utf8'));
  const listed = (await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])).stdout.toString('utf8').split('\0');
  const gitlink = listed.find((entry) => entry.startsWith('160000 '));
  if (gitlink) throw unsupported(`a submodule (${nameIn(gitlink)})`);
  for (const entry of listed.filter((each) => /(^|\/)\.gitattributes$/.test(nameIn(each)))) {
    const blob = entry.slice(0, entry.indexOf('\t')).split(' ')[2]!;
    checkAttributes(nameIn(entry), await git.line(['cat-file', 'blob', blob]));
  }
}

function checkAttributes(file: string, text: string): void {
  if (/^[^#\n]*\sfilter(=|\s|$)/m.test(text)) throw unsupported(`a filter for files, such as LFS (${file})`);
}

/** Undefined when there is no such commit. `name` is anything that git understands, and never an option. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const id = isId.test(name) ? name : idNow(git, name);
  if (id === 'none') return undefined;
  if (id !== undefined && (await commitAt(git, id))) return id;
  const answer = await git.run(['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`], {
    accept: [0, 1, 128],
  });
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

/** Undefined when git has to be asked. */
function idNow(git: Git, name: string): string | 'none' | undefined {
  const { gitDir, commonDir } = git.place;
  if (gitDir === undefined || commonDir === undefined) return undefined;
  const found = readRef({ gitDir, commonDir }, name);
  if (!found || found.id !== undefined) return found?.id;
  return name === 'HEAD' || hasNamesake({ gitDir, commonDir }, name) ? undefined : 'none';
}

/** What a commit says, as far as that is known without asking. */
function commitKnown({ place: { commonDir }, commits }: Git, id: string): CommitRead | undefined {
  if (commonDir === undefined || !isId.test(id)) return undefined;
  return readLooseCommit(commonDir, id) ?? commits?.of(commonDir, id);
}

/** Undefined when it is none, or only git could tell. */
async function commitAt(git: Git, id: string): Promise<CommitRead | undefined> {
  const known = commitKnown(git, id);
  const { place, commits } = git;
  if (known || !commits || place.commonDir === undefined) return known;
  const stamp = commits.stamp(place.commonDir);
  const said = await git.run(['cat-file', 'commit', id], { accept: [0, 1, 128] });
  const commit = said.code === 0 ? commitSaid(said.stdout, id) : undefined;
  if (commit) commits.keep(id, commit, stamp);
  return commit;
}

export async function treeOf(git: Git, commit: string): Promise<string> {
  return commitKnown(git, commit)?.tree ?? git.line(['rev-parse', `${commit}^{tree}`]);
}

export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  const known = parentage(git, older, newer);
  return known ?? (await git.run(['merge-base', '--is-ancestor', older, newer], { accept: [0, 1] })).code === 0;
}

/** Between a commit and the one that it was made from, it is known without walking through the history. */
function parentage(git: Git, older: string, newer: string): boolean | undefined {
  const { commonDir } = git.place;
  // A shallow clone has parents that git is not to know of.
  if (commonDir === undefined || existsSync(join(commonDir, 'shallow'))) return undefined;
  const [old, fresh] = [commitKnown(git, older), commitKnown(git, newer)];
  if (!old || !fresh) return undefined;
  if (older === newer || fresh.parents.includes(older)) return true;
  return old.parents.includes(newer) ? false : undefined;
}

/** What a ref points to by name; undefined for one that names a commit, and for one that is not there. */
export async function symbolicRef(git: Git, ref: string): Promise<string | undefined> {
  const { gitDir, commonDir } = git.place;
  const found: RefFound | undefined =
    gitDir === undefined || commonDir === undefined ? undefined : readRef({ gitDir, commonDir }, ref);
  if (found) return found.isSymbolic ? found.name : undefined;
  const answer = await git.run(['symbolic-ref', '-q', ref], { accept: [0, 1, 128] });
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

const isId = /^[0-9a-f]{40}$/;

const nameIn = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);

async function checkVersion(git: Git): Promise<void> {
  const version = await git.line(['version']);
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > 2 || (major === 2 && minor >= 38)) return;
  throw new GitProblem({
    reason: 'git-too-old',
    what: `${version} cannot merge without a checkout (git merge-tree --write-tree)`,
    fix: 'Install git 2.38 or newer, or set isolation to none',
  });
}

const notThere = (root: string, stderr: string): GitProblem =>
  /not a git repository/.test(stderr)
    ? new GitProblem({
        reason: 'not-a-repository',
        what: `${root} is in no git repository, so there can be no worktrees`,
        fix: 'Run git init and make a first commit, or set isolation to none',
      })
    : new GitProblem({
        reason: 'git-failed',
        what: `git cannot read the repository of ${root}: ${stderr.trim().split('\n')[0]}`,
        fix: 'Mend what git complains about and go on',
      });

const bare = (root: string): GitProblem =>
  new GitProblem({
    reason: 'bare',
    what: `${root} is a bare repository, which has no checkout to merge into`,
    fix: 'Work in a clone of it',
  });

const unsupported = (what: string): GitProblem =>
  new GitProblem({
    reason: 'unsupported',
    what: `the repository has ${what}, which worktrees of agents do not support`,
    fix: 'Set isolation to none for this stage',
  });
