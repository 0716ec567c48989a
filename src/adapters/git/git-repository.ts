import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../command/environment.js';
import { GitProblem } from './git-problem.js';
import { type Git, type GitPlace, gitAt } from './git-run.js';
import { WhileSame } from './git-settings.js';

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
  /** With the programs that the configuration names for filters and merges turned off, as it is at this moment. */
  git(place?: Partial<GitPlace>): Promise<Git>;
  /** The same for questions, which nobody has to wait for. */
  look(place?: Partial<GitPlace>): Promise<Git>;
  /** Filters that the configuration has a program for, at this moment. */
  filters(): Promise<readonly string[]>;
}

export interface Identity {
  readonly name: string;
  readonly email: string;
}

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
  const settings = { env, tether: '', config: [] };
  const first = gitAt({ cwd: root }, settings);
  await checkVersion(first);
  const wanted = ['--is-bare-repository', '--absolute-git-dir', '--path-format=absolute', '--git-common-dir'];
  const found = await first.run(['rev-parse', ...wanted, '--show-toplevel'], { accept: [0, 128] });
  const [isBare, gitDir = '', shared = '', toplevel = ''] = found.stdout.toString('utf8').split('\n');
  if (isBare === 'true') throw bare(root);
  if (found.code !== 0) throw notThere(root, found.stderr);
  const [top, commonDir] = [realpathSync(toplevel), realpathSync(shared)];
  const tether = options.tether ?? join(commonDir, 'autoresearch.lock');
  const main = { cwd: top, gitDir: realpathSync(gitDir), workTree: top, ...(scratch === undefined ? {} : { scratch }) };
  const harmless = new WhileSame<Settings>(env, commonDir);
  const bound = async (place: Partial<GitPlace>, mark: string): Promise<Git> => {
    const wanted = { ...main, ...place, ...(place.workTree === undefined ? {} : { cwd: place.workTree }) };
    const config = await harmless.of(wanted, () => harmlessConfig(gitAt(wanted, settings)));
    return gitAt(wanted, { env, tether: mark, config });
  };
  return {
    top,
    gitDir: main.gitDir,
    commonDir,
    tether,
    identity: await identityOf(gitAt(main, settings)),
    git: (place = {}) => bound(place, tether),
    look: (place = {}) => bound(place, ''),
    filters: async () => filtersIn(await harmless.of(main, () => harmlessConfig(gitAt(main, settings)))),
  };
}

/** Throws when files of this commit would not be what they seem, or could get lost, in a worktree of ours. */
export async function checkSupported(git: Git, commit: string, { commonDir }: Repository): Promise<void> {
  const config = await git.run(['config', '--list', '-z'], { env: { GIT_CONFIG_COUNT: '0' } });
  for (const [key = '', value = ''] of config.stdout.toString('utf8').split('\0').map(keyAndValue)) {
    if (key === 'core.sparsecheckout' && value !== 'false') throw unsupported('a sparse checkout');
    if (key === 'extensions.partialclone' || /^remote\..*\.promisor$/s.test(key)) throw unsupported('a partial clone');
  }
  const listed = (await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])).stdout.toString('utf8').split('\0');
  const gitlink = listed.find((entry) => entry.startsWith('160000 '));
  if (gitlink) throw unsupported(`a submodule (${nameIn(gitlink)})`);
  const info = join(commonDir, 'info', 'attributes');
  const texts: (readonly [string, string])[] = existsSync(info) ? [[info, readFileSync(info, 'utf8')]] : [];
  for (const entry of listed.filter((each) => /(^|\/)\.gitattributes$/.test(nameIn(each)))) {
    const blob = entry.slice(0, entry.indexOf('\t')).split(' ')[2]!;
    texts.push([nameIn(entry), await git.line(['cat-file', 'blob', blob])]);
  }
  for (const [file, text] of texts) {
    if (/^[^#\n]*\sfilter(=|\s|$)/m.test(text)) throw unsupported(`a filter for files, such as LFS (${file})`);
  }
}

/** Undefined when there is no such commit. `name` is anything that git understands, and never an option. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const answer = await git.run(['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`], {
    accept: [0, 1, 128],
  });
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', older, newer], { accept: [0, 1] })).code === 0;
}

/** What a ref points to by name; undefined for one that names a commit, and for one that is not there. */
export async function symbolicRef(git: Git, ref: string): Promise<string | undefined> {
  const answer = await git.run(['symbolic-ref', '-q', ref], { accept: [0, 1, 128] });
  return answer.code === 0 ? answer.stdout.toString('utf8').trim() : undefined;
}

const nameIn = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);

const keyAndValue = (entry: string): string[] => {
  const end = entry.indexOf('\n');
  return end < 0 ? [entry] : [entry.slice(0, end), entry.slice(end + 1)];
};

/**
 * A filter that does nothing, and a merge driver that always sees a conflict: an empty driver would pass for a merge and
 * drop one side.
 */
async function harmlessConfig(git: Git): Promise<{ readonly value: Settings; readonly isWhole: boolean }> {
  const keys = (await git.run(['config', '--list', '--name-only', '-z'])).stdout.toString('utf8').split('\0');
  const config: [string, string][] = [];
  for (const key of keys) {
    const filter = /^filter\.(.+)\.(clean|smudge|process|required)$/s.exec(key);
    if (filter) config.push([key, filter[2] === 'required' ? 'false' : '']);
    if (/^merge\.(.+)\.driver$/s.test(key)) config.push([key, 'false']);
  }
  return { value: config, isWhole: !keys.some((key) => /^include(if)?\./i.test(key)) };
}

const filtersIn = (config: Settings): readonly string[] => [
  ...new Set(config.flatMap(([key]) => /^filter\.(.+)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? [])),
];

type Settings = readonly (readonly [string, string])[];

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

async function identityOf(git: Git): Promise<Identity> {
  const listed = await git.run(['config', '-z', '--get-regexp', '^user\\.(name|email)$'], { accept: [0, 1] });
  const pairs = listed.stdout.toString('utf8').split('\0').map(keyAndValue);
  const said = (key: string): string => pairs.findLast((pair) => pair[0] === key)?.[1] ?? '';
  const [name, email] = [said('user.name'), said('user.email')];
  return name.trim() === '' || email.trim() === ''
    ? { name: 'autoresearch', email: 'autoresearch@localhost' }
    : { name, email };
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
