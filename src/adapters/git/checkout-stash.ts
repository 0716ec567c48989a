import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeCommit } from '../worktree/worktree-commit.js';
import { fileNames, withFreshIndex } from '../worktree/worktree-files.js';
import { dirtyFiles } from '../worktree/worktree-main.js';
import { inProgress } from '../worktree/worktree-merge.js';
import { GitProblem } from './git-problem.js';
import { commitOf, type Repository } from './git-repository.js';
import type { Git } from './git-run.js';

export interface StashRequest {
  readonly message: string;
  /** What is not to be put aside. */
  readonly stays: (file: string) => boolean;
}

/**
 * Puts changes into a stash that `git stash pop` understands. Git's own command stops half way when it is given the names of
 * removed or ignored files. The stash is there before the first file is put back, so a kill in between leaves both.
 */
export async function stashMain(
  repo: Repository,
  leaveOut: readonly string[],
  { message, stays }: StashRequest,
): Promise<string | undefined> {
  const git = await repo.git();
  const unsaved = async () => {
    const { tracked, untracked } = await dirtyFiles(git, leaveOut);
    return { tracked: tracked.filter((file) => !stays(file)), untracked: untracked.filter((file) => !stays(file)) };
  };
  const files = await unsaved();
  if (files.tracked.length + files.untracked.length === 0) return undefined;
  const busy = inProgress(repo);
  if (busy !== undefined) throw cannotStash(`it is in the middle of a ${busy}`);
  const head = await commitOf(git, 'HEAD');
  if (head === undefined) throw cannotStash('it has no commit yet');
  const inner = files.untracked.filter((file) => file.endsWith('/'));
  if (inner.length > 0) throw cannotStash(`${inner.join(', ')} is a repository of its own`);
  const stash = await stashCommit(repo, git, { ...files, head, message });
  await git.run(['stash', 'store', '-m', message, stash]);
  await putBack(git, head, files);
  const left = await unsaved();
  const more = [...left.tracked, ...left.untracked];
  if (more.length > 0) throw cannotStash(`${more.join(', ')} is left beside the stash ${stash}`);
  return stash;
}

interface Unsaved {
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
}

/** What git makes: the files on top of what is checked out, of the index, and of a commit with what nobody tracked. */
async function stashCommit(
  repo: Repository,
  git: Git,
  { head, message, tracked, untracked }: Unsaved & { readonly head: string; readonly message: string },
): Promise<string> {
  const index = await git.line(['write-tree']);
  const treeOf = (base: string, files: readonly string[]): Promise<string> =>
    withFreshIndex(git, base, async (fresh) => {
      if (files.length > 0)
        await fresh.run(['update-index', '--add', '--remove', '-z', '--stdin'], { input: list(files) });
      return fresh.line(['write-tree']);
    });
  const commit = (tree: string, parents: readonly string[], words: string): Promise<string> =>
    makeCommit(git, { tree, parents, message: words, committer: repo.identity });
  const staged = await commit(index, [head], `index of ${message}`);
  const others = await commit(await treeOf(await emptyTree(git), untracked), [], `untracked files of ${message}`);
  return commit(await treeOf(head, tracked), [head, staged, others], message);
}

const emptyTree = (git: Git): Promise<string> => git.line(['mktree']);

async function putBack(git: Git, head: string, { tracked, untracked }: Unsaved): Promise<void> {
  const inHead = new Set(
    fileNames((await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', head])).stdout),
  );
  const known = tracked.filter((file) => inHead.has(file));
  const added = tracked.filter((file) => !inHead.has(file));
  if (added.length > 0) await git.run(['update-index', '--force-remove', '-z', '--stdin'], { input: list(added) });
  for (const file of [...added, ...untracked]) removeFile(git.place.cwd, file);
  if (known.length === 0) return;
  const args = [
    'restore',
    `--source=${head}`,
    '--staged',
    '--worktree',
    '--pathspec-from-file=-',
    '--pathspec-file-nul',
  ];
  await git.run(args, { input: list(known), env: { GIT_LITERAL_PATHSPECS: '1' } });
}

/** With the folders that are empty then. */
function removeFile(top: string, file: string): void {
  if (lstatSync(join(top, file), { throwIfNoEntry: false })?.isDirectory() === false) rmSync(join(top, file));
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    const path = join(top, folder);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true || readdirSync(path).length > 0) return;
    rmdirSync(path);
  }
}

const list = (files: readonly string[]): string => `${files.join('\0')}\0`;

const cannotStash = (why: string): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `the changes of the checkout cannot be stashed: ${why}`,
    fix: 'Commit them, or move them away, and go on',
  });
