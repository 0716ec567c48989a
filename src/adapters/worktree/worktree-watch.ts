import { isWithin } from '../../model/glob.js';
import { commitOf, type Repository, symbolicRef } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { changedSince, snapshot } from '../watch/changed-files.js';
import { endOf, entriesSince } from './merge-log.js';
import { fileNames } from './worktree-files.js';

/** What happened to the main checkout while somebody worked elsewhere. Nothing of it is undone here. */
export interface MainChanges {
  /** Written by somebody; our own merges apart. */
  readonly files: readonly string[];
  /** Another branch or commit is checked out, or the branch was moved, and not by us. */
  readonly head?: { readonly from: string; readonly to: string };
}

export interface MainWatch {
  /** Asks again as often as one likes. */
  changes(): Promise<MainChanges>;
}

export interface WatchOptions {
  /** Files and folders, relative to the top, that nobody watches. */
  readonly leaveOut: readonly string[];
  /** Where the study is in the repository. What is called `.autoresearch` elsewhere is the state of another study. */
  readonly project: string;
  /** Where runners write down what they do to checkouts. */
  readonly log: string;
}

/** Has to be begun and asked while no runner writes. */
export async function watchMain(repo: Repository, options: WatchOptions): Promise<MainWatch> {
  const { leaveOut, log, project } = options;
  const before = snapshot(repo.top, { leaveOut, namesakes: true });
  const isOtherState = (file: string): boolean => !isWithin(file, project) && /(^|\/)\.autoresearch(\/|$)/.test(file);
  const begun = endOf(log);
  const from = await standing(await repo.look());
  return {
    async changes() {
      const git = await repo.look();
      const to = await standing(git);
      const { own, written, expected } = ours(from, entriesSince(log, begun, repo.top));
      const isExpected = expected.has(to);
      const changed = changedSince(before, repo.top).map(({ path }) => path);
      const others = changed.filter((file) => !written.has(file) && !isOtherState(file));
      // A merge of ours leaves files as the commit has them; who writes them after that is seen again.
      const unlike = own.size > 0 && isExpected ? await unlikeCommit(git) : new Set<string>();
      const files = others.filter((file) => !own.has(file) || unlike.has(file) || !isExpected);
      return { files, ...(isExpected ? {} : { head: { from, to } }) };
    },
  };
}

/** What runners did since then. Who goes back behind their last merge is none of them. */
function ours(from: string, entries: ReturnType<typeof entriesSince>) {
  const own = new Set<string>();
  const written = new Set<string>();
  let expected = new Set([from]);
  for (const { what, files, standing: there } of entries) {
    for (const file of files) (what === 'wrote' ? written : own).add(file);
    if (there === undefined) continue;
    // One that was begun may have been cut short before it moved the branch.
    if (what === 'done') expected = new Set([there]);
    else expected.add(there);
  }
  return { own, written, expected };
}

async function unlikeCommit(git: Git): Promise<ReadonlySet<string>> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignored=traditional'];
  return new Set(fileNames((await git.run(args)).stdout).map((line) => line.slice(3)));
}

/** Branch and commit. */
const standing = async (git: Git): Promise<string> =>
  `${(await symbolicRef(git, 'HEAD')) ?? 'detached'} ${(await commitOf(git, 'HEAD')) ?? 'none'}`;
