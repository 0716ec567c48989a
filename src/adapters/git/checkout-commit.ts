import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makeCommit } from '../worktree/worktree-commit.js';
import { withFreshIndex } from '../worktree/worktree-files.js';
import { inProgress } from '../worktree/worktree-merge.js';
import { GitProblem } from './git-problem.js';
import { commitOf, type Repository, symbolicRef, treeOf } from './git-repository.js';
import { soundEntries } from './sound-commit.js';

export interface CheckoutCommit {
  readonly commit: string;
  readonly files: readonly string[];
}

interface HereCommit extends CheckoutCommit {
  /** The branch that it is on. */
  readonly into: string;
}

/**
 * Commits these files of the checkout, one by one, on top of what is checked out. What else was changed or staged there
 * stays as it was. Undefined when they are committed as they are. Ignored files are left out.
 */
export async function commitCheckout(
  repo: Repository,
  wanted: readonly string[],
  message: string,
): Promise<HereCommit | undefined> {
  const git = await repo.git();
  const busy = inProgress(repo);
  if (busy !== undefined) throw cannot(`the checkout is in the middle of a ${busy}`, 'Finish or abort it first');
  const branch = await symbolicRef(git, 'HEAD');
  const old = await commitOf(git, 'HEAD');
  if (branch === undefined || old === undefined)
    throw cannot('no branch with a commit is checked out', 'Check one out');
  return withFreshIndex(git, old, async (fresh) => {
    const there = wanted.filter(
      (file) => lstatSync(join(repo.top, file), { throwIfNoEntry: false })?.isDirectory() === false,
    );
    const input = `${there.join('\0')}\0`;
    const ignored =
      there.length === 0 ? '' : await stdoutOf(fresh.run(['check-ignore', '-z', '--stdin'], { input, accept: [0, 1] }));
    const dropped = new Set(ignored.split('\0'));
    const files = there.filter((file) => !dropped.has(file));
    if (files.length === 0) return undefined;
    await fresh.run(['update-index', '--add', '-z', '--stdin'], { input: `${files.join('\0')}\0` });
    const tree = await fresh.line(['write-tree']);
    // The index of the person learns of these files only. Killed before that, it is to learn of them now.
    const learn = (those: readonly string[]) =>
      git.run(['update-index', '--add', '-z', '--stdin'], { input: `${those.join('\0')}\0` });
    if (tree === (await treeOf(git, old))) {
      await learn(files);
      return undefined;
    }
    const changed = await stdoutOf(fresh.run(['diff-index', '--cached', '-z', '--name-only', '--no-renames', old]));
    const commit = await makeCommit(git, { tree, parents: [old], message, committer: repo.identity });
    const committed = changed.split('\0').filter((file) => file !== '');
    await soundEntries(git, [commit], committed);
    const moved = await git.run(['update-ref', '--no-deref', '-m', 'autoresearch: commit', branch, commit, old], {
      accept: [0, 1, 128],
    });
    if (moved.code !== 0) throw cannot('somebody else committed at the same time', 'Go on with autoresearch exec');
    await learn(committed);
    return { commit, files: committed, into: branch.replace(/^refs\/heads\//, '') };
  });
}

const stdoutOf = async (answer: Promise<{ readonly stdout: Buffer }>): Promise<string> =>
  (await answer).stdout.toString('utf8');

const cannot = (why: string, fix: string): GitProblem =>
  new GitProblem({ reason: 'busy', what: `the outputs cannot be committed: ${why}`, fix });
