import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Environment } from '../command/environment.js';
import { ownPath } from '../process/own-path.js';
import type { PackedCommits } from './commit-files.js';
import { GitProblem } from './git-problem.js';

/** Named outright, so that neither the folder nor a `.git` file decides which repository is meant. */
export interface GitPlace {
  readonly cwd: string;
  readonly gitDir?: string;
  /** What all checkouts share. */
  readonly commonDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  /** Where an index of our own is made; in the repository unless stated. */
  readonly scratch?: string;
}

export interface GitOptions {
  readonly input?: string | Buffer;
  /** Exit codes that are answers; only 0 unless stated. */
  readonly accept?: readonly number[];
  readonly env?: { readonly [name: string]: string };
  readonly timeoutMs?: number;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitSettings {
  /** The runner's own environment; git gets a few names of it. */
  readonly env: Environment;
  /** In git's environment, so that one that outlived its runner can be found; empty where it changes nothing. */
  readonly tether: string;
  /** Stronger than any configuration file. */
  readonly config: readonly (readonly [key: string, value: string])[];
  /** What need not be asked twice. */
  readonly commits?: PackedCommits;
}

/** Git, bound to one place. */
export interface Git {
  readonly place: GitPlace;
  readonly commits?: PackedCommits;
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /** What it printed, without the newline at the end. */
  line(args: readonly string[], options?: GitOptions): Promise<string>;
  /** The same with an index file of ours, which git makes when it is not there. */
  withIndex(index: string): Git;
}

export const tetherName = 'AUTORESEARCH_GIT';

export function gitAt(place: GitPlace, settings: GitSettings): Git {
  const run = (args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> =>
    runGit(args, { place, settings, options });
  const { commits } = settings;
  return {
    place,
    ...(commits ? { commits } : {}),
    run,
    line: async (args, options) => (await run(args, options)).stdout.toString('utf8').replace(/\n$/, ''),
    withIndex: (index) => gitAt({ ...place, index }, { ...settings, config: [...settings.config, ...ownIndex] }),
  };
}

interface Call {
  readonly place: GitPlace;
  readonly settings: GitSettings;
  readonly options: GitOptions;
}

function runGit(args: readonly string[], { place, settings, options }: Call): Promise<GitAnswer> {
  const { input = '', accept = [0], timeoutMs = 120_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd: place.cwd, env: environmentOf(place, settings, options) });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let isLate = false;
    // On SIGTERM git removes its lock files; it gets a moment for that.
    const timers = [
      setTimeout(() => {
        isLate = true;
        child.kill('SIGTERM');
      }, timeoutMs),
      setTimeout(() => child.kill('SIGKILL'), timeoutMs + 5_000),
    ];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // A git that does not read its input to the end says why on its error output.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', () => {
      timers.forEach(clearTimeout);
      reject(existsSync(place.cwd) ? notInstalled() : folderGone(place.cwd));
    });
    child.on('close', (code) => {
      timers.forEach(clearTimeout);
      const stderr = Buffer.concat(err).toString('utf8');
      if (isLate) reject(tooSlow(args, timeoutMs));
      else if (code === null || !accept.includes(code)) reject(failed(args, stderr));
      else resolve({ code, stdout: Buffer.concat(out), stderr });
    });
  });
}

function environmentOf(place: GitPlace, settings: GitSettings, options: GitOptions): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM']) {
    const value = settings.env[name];
    if (value !== undefined) env[name] = value;
  }
  const config = [...fixedConfig, ...settings.config];
  config.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return {
    ...env,
    PATH: ownPath(env.PATH, place.cwd, ...(place.workTree === undefined ? [] : [place.workTree])),
    ...fixedEnvironment,
    ...(settings.tether === '' ? {} : { [tetherName]: settings.tether }),
    GIT_CONFIG_COUNT: String(config.length),
    ...(place.gitDir === undefined ? {} : { GIT_DIR: place.gitDir }),
    ...(place.workTree === undefined ? {} : { GIT_WORK_TREE: place.workTree }),
    ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
    ...options.env,
  };
}

/** Git fetches nothing, asks nobody and believes no replaced objects; its words are the same everywhere. */
const fixedEnvironment = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_EDITOR: 'false',
  GIT_PAGER: 'cat',
};

/** An agent can write the repository's configuration: nothing in it may run a program, or hide a file, for us. */
const fixedConfig: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.sparseCheckout', 'false'],
  ['core.splitIndex', 'false'],
  ['core.logAllRefUpdates', 'true'],
  ['index.sparse', 'false'],
  ['commit.gpgSign', 'false'],
  ['submodule.recurse', 'false'],
  ['i18n.commitEncoding', 'UTF-8'],
  ['advice.graftFileDeprecated', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** An index of ours is in the oldest form, which `readIndex` reads; what git notes in it of files is all that there is to note. */
const ownIndex: readonly (readonly [string, string])[] = [
  ['core.trustctime', 'true'],
  ['core.checkStat', 'default'],
  ['core.ignoreStat', 'false'],
  ['index.version', '2'],
  ['index.skipHash', 'false'],
];

const notInstalled = (): GitProblem =>
  new GitProblem({ reason: 'git-missing', what: 'git cannot be started', fix: 'Install git 2.38 or newer' });

const folderGone = (folder: string): GitProblem =>
  new GitProblem({ reason: 'no-worktree', what: `${folder} is not there`, fix: 'Look who removed it' });

const tooSlow = (args: readonly string[], ms: number): GitProblem =>
  new GitProblem({
    reason: 'timed-out',
    what: `git ${args[0]} took longer than ${ms / 1000} s and was stopped`,
    fix: 'Look whether the disk answers, then go on; what was there is still there',
  });

function failed(args: readonly string[], stderr: string): GitProblem {
  const said = stderr.trim().split('\n').slice(0, 6).join('; ') || 'nothing';
  const lock = /Unable to create '([^']+\.lock)': File exists/.exec(stderr)?.[1];
  if (lock !== undefined) {
    const fix = `When no git is at work in this repository any more, remove ${lock} and go on`;
    return new GitProblem({ reason: 'locked', what: `another git holds ${lock}, or died with it`, fix });
  }
  return new GitProblem({
    reason: 'git-failed',
    what: `git ${args.slice(0, 2).join(' ')} failed: ${said}`,
    fix: 'Mend what git complains about and go on',
  });
}
