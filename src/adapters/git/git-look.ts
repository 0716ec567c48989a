import type { Environment } from '../command/environment.js';
import { GitProblem } from './git-problem.js';
import { type Git, gitAt } from './git-run.js';

/** What there is to know of git and the repository of a folder. Changes nothing. */
export interface GitLook {
  /** Absent when git cannot be started. */
  readonly version?: string;
  readonly kind: 'none' | 'bare' | 'broken' | 'fine';
  /** What git said of a repository that it cannot read. */
  readonly detail?: string;
  readonly branch?: string;
  readonly hasCommit: boolean;
  readonly isShallow: boolean;
  /** Settings that are not there. */
  readonly unset: readonly string[];
  readonly isStateIgnored: boolean;
  /** Stashes of ours. */
  readonly stashes: number;
}

export async function lookAtGit(root: string, env: Environment): Promise<GitLook> {
  const git = gitAt({ cwd: root }, { env, tether: '', config: [] });
  const nothing = { hasCommit: false, isShallow: false, unset: [], isStateIgnored: false, stashes: 0 };
  let version: string;
  try {
    version = (await git.line(['version'], patience)).replace(/^git version /, '');
  } catch (error) {
    if (!(error instanceof GitProblem)) throw error;
    return { ...nothing, kind: 'none' };
  }
  const asked = await git.run(['rev-parse', '--is-bare-repository', '--is-shallow-repository'], anyCode);
  if (asked.code !== 0) {
    const detail = asked.stderr.trim().split('\n')[0] ?? '';
    return /not a git repository/.test(asked.stderr)
      ? { ...nothing, version, kind: 'none', unset: await unsetIn(git) }
      : { ...nothing, version, kind: 'broken', detail };
  }
  const [isBare, isShallow] = asked.stdout.toString().split('\n');
  const [unset, branch, head, ignored, stashes] = await Promise.all([
    unsetIn(git),
    git.run(['symbolic-ref', '-q', '--short', 'HEAD'], anyCode),
    git.run(['rev-parse', '-q', '--verify', 'HEAD^{commit}'], anyCode),
    git.run(['check-ignore', '-q', '.autoresearch/x'], anyCode),
    git.run(['stash', 'list', '--format=%gs'], anyCode),
  ]);
  const name = branch.stdout.toString().trim();
  return {
    version,
    kind: isBare === 'true' ? 'bare' : 'fine',
    ...(name === '' ? {} : { branch: name }),
    hasCommit: head.code === 0,
    isShallow: isShallow === 'true',
    unset,
    isStateIgnored: ignored.code === 0,
    stashes: stashes.stdout.toString().match(/autoresearch/g)?.length ?? 0,
  };
}

async function unsetIn(git: Git): Promise<readonly string[]> {
  const said = (key: string): Promise<string> => git.line(['config', '--get', key], anyCode);
  const keys = ['user.name', 'user.email'];
  const values = await Promise.all(keys.map(said));
  return keys.filter((_, index) => values[index]!.trim() === '');
}

const patience = { timeoutMs: 10_000 };
const anyCode = { ...patience, accept: Array.from({ length: 256 }, (_, code) => code) };
