import { globsMayMeet, literally } from '../../model/glob.js';
import type { GlobMatch } from '../../source/glob.js';
import { inProject } from '../git/checkout-problem.js';
import { GitProblem } from '../git/git-problem.js';
import type { Git } from '../git/git-run.js';
import type { CommitEntries } from '../git/sound-commit.js';

export interface Reach {
  /** Where the project is in its repository. */
  readonly inside: string;
  /** Globs of the project: what a loop keeps, and what its tasks write. */
  readonly files: readonly string[];
  readonly protect: readonly string[];
  readonly match: GlobMatch;
}

export const reachOf = (
  inside: string,
  loop: Omit<Reach, 'inside'> & { readonly written: readonly string[] },
): Reach => ({
  ...loop,
  inside,
  files: [...loop.files, ...loop.written],
});

/**
 * Throws when a loop reaches into a submodule. Git keeps of one which commit is checked out there and no file: what is changed in it is measured, and
 * is in no commit of ours. It need not be checked out for that. Answers with the names of all that there is.
 */
export function refuseSubmodules(entries: CommitEntries, reach: Reach): readonly string[] {
  const links = [...entries].flatMap(([path, { mode }]) => (mode === gitlink ? [path] : []));
  const reached = links.filter((path) => reaches(path, reach));
  if (reached.length === 0) return [...entries.keys()];
  const is = reached.length === 1 ? 'is a submodule' : 'are submodules';
  throw new GitProblem({
    reason: 'unsupported',
    what: `${reached.join(', ')} ${is}, into which the files of the loop or outputs of its stages lead: git would keep nothing of what is written there`,
    fix: 'Let scopes, outputs and iterate.files lead elsewhere, name what is there under protect, or bring its files into this repository',
    files: reached,
  });
}

/** Whether something in that folder of the repository is the loop's to write. */
export function reaches(path: string, { inside, files, protect, match }: Reach): boolean {
  const own = inProject(path, inside)?.[0];
  if (own === undefined) return false;
  const all = `${literally(own)}/**`;
  const isHeld = protect.some((one) => one === all || match(one, own));
  return !isHeld && files.some((one) => match(one, own) || globsMayMeet(one, all));
}

/** Submodules that an index knows. */
export async function submodulesIn(fresh: Git): Promise<readonly string[]> {
  const listed = (await fresh.run(['ls-files', '-s', '-z'])).stdout.toString('utf8').split('\0');
  return listed.flatMap((line) => (line.startsWith(`${gitlink} `) ? [line.slice(line.indexOf('\t') + 1)] : []));
}

const gitlink = '160000';
