import { lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IterationChanges } from '../../model/events/iteration-event.js';
import { GitProblem } from '../git/git-problem.js';
import { commitOf, isAncestor, type Repository, symbolicRef } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { takeFrom } from '../git/index-entries.js';
import { soundEntries } from '../git/sound-commit.js';
import { checkWritten } from '../git/sound-files.js';
import { changesIn, type FreshIndex, type TreeChange, trackedIn, withFreshIndex } from '../worktree/worktree-files.js';

/**
 * Makes branch, files and index of the checkout what `target` says, for the files of the iteration alone. A file that is
 * neither as the iteration left it nor as it is to be was changed by somebody since, and then nothing is done.
 */
export async function settleCheckout(repo: Repository, changes: IterationChanges): Promise<void> {
  const git = await repo.git();
  // What git has in the place of an object may be another one: neither is anything put back from it, nor does the branch lead to it.
  const [entries] = await soundEntries(git, [changes.target], changes.files);
  await withFreshIndex(git, changes.target, async (fresh) => {
    const unlike = await unlikeIn(fresh, changes.files);
    const foreign = await foreignFiles(git, changes, unlike);
    if (foreign.length > 0)
      throw new GitProblem({
        reason: 'dirty',
        what: `${foreign.join(', ')} was changed after the iteration had been decided, and would be put back`,
        fix: 'Put the change aside with git stash, or undo it, and go on',
        files: foreign,
      });
    await moveBranch(git, changes);
    await putBack(fresh, unlike);
  });
  await checkWritten(git, changes.target, entries!);
  await takeFrom(git, entries!, changes.files);
  await git.run(['update-index', '-q', '--refresh'], { accept: [0, 1] });
}

/** A file that is gone is nobody's change: whoever was killed here had taken it away to put another in its place. */
async function foreignFiles(
  git: Git,
  { commit, files }: IterationChanges,
  unlike: readonly TreeChange[],
): Promise<readonly string[]> {
  const there = unlike.filter(({ how }) => how !== 'removed');
  if (there.length === 0) return [];
  const others = await withFreshIndex(git, commit, (fresh) => unlikeIn(fresh, files));
  const unlikeBoth = new Set(others.map(({ path }) => path));
  return there.map(({ path }) => path).filter((file) => unlikeBoth.has(file));
}

async function unlikeIn(fresh: FreshIndex, files: readonly string[]): Promise<readonly TreeChange[]> {
  const wanted = new Set(files);
  return (await changesIn(fresh)).filter(({ path }) => wanted.has(path));
}

/** Forward, or not at all. */
async function moveBranch(git: Git, { head, target }: IterationChanges): Promise<void> {
  if (head === target) return;
  const now = await commitOf(git, 'HEAD');
  if (now === target || (now !== undefined && (await isAncestor(git, target, now)))) return;
  const branch = await symbolicRef(git, 'HEAD');
  if (now !== head || branch === undefined)
    throw new GitProblem({
      reason: 'rewritten',
      what: `your branch was at ${head.slice(0, 12)} when the iteration was decided, and is elsewhere now`,
      fix: `Go back to it, or bring ${target.slice(0, 12)} into your branch, and go on`,
    });
  await git.run(['update-ref', '--no-deref', '-m', 'autoresearch: iteration', branch, target, head]);
}

/** `fresh` holds what they are to be. */
async function putBack(fresh: FreshIndex, unlike: readonly TreeChange[]): Promise<void> {
  if (unlike.length === 0) return;
  const known = new Set((await trackedIn(fresh)).map((name) => Buffer.from(name, 'latin1').toString()));
  const files = unlike.map(({ path }) => path);
  for (const file of files) remove(fresh.place.cwd, file);
  const back = files.filter((file) => known.has(file));
  if (back.length > 0) await fresh.run(['checkout-index', '-f', '-z', '--stdin'], { input: `${back.join('\0')}\0` });
}

/** With the folders that are empty then; never through a link, which may lead anywhere. */
function remove(top: string, file: string): void {
  if (!foldersTo(file).every((folder) => lstatSync(join(top, folder), { throwIfNoEntry: false })?.isDirectory()))
    return;
  if (lstatSync(join(top, file), { throwIfNoEntry: false })?.isDirectory() === false) rmSync(join(top, file));
  for (const folder of foldersTo(file)) {
    if (readdirSync(join(top, folder)).length > 0) return;
    rmdirSync(join(top, folder));
  }
}

/** Nearest first. */
function foldersTo(file: string): readonly string[] {
  const found: string[] = [];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) found.push(folder);
  return found;
}
