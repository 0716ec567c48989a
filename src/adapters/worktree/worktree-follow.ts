import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GitProblem } from '../git/git-problem.js';
import { commitOf } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { moveRefs } from '../git/ref-moves.js';
import { soundEntries } from '../git/sound-commit.js';
import { checkWritten } from '../git/sound-files.js';
import { changesIn, fileNames, withFreshIndex } from './worktree-files.js';
import { mergingRef, refsOf } from './worktree-names.js';

export interface Step {
  /** The branch that is checked out. */
  readonly into: string;
  readonly old: string;
  readonly commit: string;
}

/**
 * Moves the checked out branch from one commit to its successor, files first. Killed in between, the checkout holds the
 * merge as staged changes, and a ref tells the next run how to finish. False when somebody else moved the branch.
 */
export async function follow(git: Git, step: Step): Promise<boolean> {
  const { into, old, commit } = step;
  const touched = await touchedBetween(git, old, commit);
  await checkFree(git, step, touched);
  const [entries] = await soundEntries(git, [commit, old], touched);
  await moveRefs(git, [{ ref: mergingRef(into), to: commit }]);
  await git.run(['read-tree', '-m', '-u', old, commit], { timeoutMs: 600_000 });
  try {
    await checkWritten(git, commit, entries!);
  } catch (error) {
    await takeBack(git, step);
    throw error;
  }
  const moved = await moveRefs(git, [{ ref: refsOf(into).branch, to: commit, from: old }, unmarked(into)], {
    message: 'autoresearch: merge',
    accept: [0, 1, 128],
  });
  const isIn = moved.code === 0;
  if (!isIn) await takeBack(git, step);
  return isIn;
}

async function takeBack(git: Git, { into, old, commit }: Step): Promise<void> {
  await git.run(['read-tree', '-m', '-u', commit, old], { timeoutMs: 600_000 });
  await moveRefs(git, [unmarked(into)]);
}

const unmarked = (into: string) => ({ ref: mergingRef(into), to: 'nowhere' }) as const;

export interface Unfinished {
  readonly into: string;
  readonly isHere: boolean;
  /** Where it began; the first parent of the merge unless stated. */
  readonly old?: string;
}

/** Ends a merge that a killed run began in the checkout; tells its commit when it is in. */
export async function finishFollowing(git: Git, { into, isHere, ...from }: Unfinished): Promise<string | undefined> {
  const commit = await commitOf(git, mergingRef(into));
  if (commit === undefined) return undefined;
  const old = from.old ?? (await commitOf(git, `${commit}^1`));
  const now = await commitOf(git, refsOf(into).branch);
  if (isHere && old !== undefined && now === old) {
    await takeOver(git, { into, old, commit });
    return (await follow(git, { into, old, commit })) ? commit : undefined;
  }
  await moveRefs(git, [unmarked(into)]);
  return now === commit ? commit : undefined;
}

export async function touchedBetween(git: Git, old: string, commit: string): Promise<readonly string[]> {
  const listed = await git.run(['diff-tree', '-r', '-z', '--name-only', '--no-renames', old, commit]);
  return fileNames(listed.stdout);
}

/**
 * Files that were written before the run was killed are as the merge wants them; the index learns of them. One that was cut
 * off while it was written holds nothing that the commit has not, and is written again.
 */
async function takeOver(git: Git, { old, commit }: Step): Promise<void> {
  const touched = await touchedBetween(git, old, commit);
  const changes = await withFreshIndex(git, commit, changesIn);
  const wrong = new Map(changes.map((change) => [change.path, change.how]));
  for (const file of touched) {
    if (wrong.get(file) === 'changed' && (await isCutOff(git, commit, file))) rmSync(join(git.place.cwd, file));
  }
  const done = touched.filter((file) => !wrong.has(file));
  if (done.length > 0) {
    const input = `${done.join('\0')}\0`;
    await git.run(['update-index', '--add', '--remove', '-z', '--stdin'], { input });
  }
}

async function isCutOff(git: Git, commit: string, file: string): Promise<boolean> {
  const path = join(git.place.cwd, file);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  const whole = (await git.run(['cat-file', 'blob', `${commit}:${file}`])).stdout;
  const part = readFileSync(path);
  return part.length < whole.length && whole.subarray(0, part.length).equals(part);
}

/** Throws when files that would change have changes of their own. Nothing has happened then. */
async function checkFree(git: Git, { old, commit }: Step, files: readonly string[]): Promise<void> {
  const touched = new Set(files);
  const flagged = fileNames((await git.run(['ls-files', '-v', '-z'])).stdout);
  const hidden = flagged.filter((entry) => /^[a-zS] /.test(entry)).map((entry) => entry.slice(2));
  const unseen = hidden.filter((file) => touched.has(file));
  if (unseen.length > 0) throw notFree(unseen, 'git was told to overlook their changes');
  const obstacles = inTheWay(git, touched, new Set(flagged.map((entry) => entry.slice(2))));
  if (obstacles.length > 0) throw notFree(obstacles, 'git does not track them');
  const attempt = () => git.run(['read-tree', '-m', '-u', '-n', old, commit], { accept: [0, 1, 128] });
  if ((await attempt()).code === 0) return;
  // A file that was only touched is as clean as any.
  await git.run(['update-index', '-q', '--refresh'], { accept: [0, 1] });
  const tried = await attempt();
  if (tried.code === 0) return;
  const differing = async (...args: string[]): Promise<string[]> =>
    fileNames((await git.run([...args, '-z', '--name-only'])).stdout).filter((file) => touched.has(file));
  const staged = new Set(await differing('diff-index', '--cached', commit));
  const neither = (await differing('diff-index', '--cached', old)).filter((file) => staged.has(file));
  const isThere = (file: string): boolean =>
    lstatSync(join(git.place.cwd, file), { throwIfNoEntry: false }) !== undefined;
  const mine = new Set([...(await differing('diff-files')).filter(isThere), ...neither]);
  throw notFree([...mine].sort(), tried.stderr.trim().split('\n')[0] ?? '');
}

/** Git itself thinks nothing of writing over files that are ignored. Nobody else has those. */
function inTheWay(git: Git, touched: ReadonlySet<string>, tracked: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  for (const file of touched) {
    if (tracked.has(file)) continue;
    const parts = file.split('/');
    const above = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
    for (const path of [...above, file]) {
      const stats = lstatSync(join(git.place.cwd, path), { throwIfNoEntry: false });
      if (stats === undefined) break;
      const those = !stats.isDirectory() ? [path] : path === file ? filesBelow(git.place.cwd, path) : [];
      for (const each of those) if (!tracked.has(each)) found.add(each);
      if (!stats.isDirectory()) break;
    }
  }
  return [...found].sort();
}

const filesBelow = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(root, `${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
  );

const notFree = (files: readonly string[], detail: string): GitProblem =>
  new GitProblem({
    reason: 'dirty',
    what: `the checkout has changes of its own in ${files.join(', ') || 'files'} that the merge would change (${detail})`,
    fix: 'Commit or stash them, then go on; branch and worktree are still there',
    files,
  });
