import { isWithin } from '../../model/glob.js';
import { fileNames } from '../worktree/worktree-files.js';
import { GitProblem } from './git-problem.js';
import type { Git } from './git-run.js';

/** Those of the files that git ignores; relative to the top. What is in a submodule is for that one to say, and here it is not ignored. */
export async function ignoredFiles(git: Git, files: readonly string[]): Promise<readonly string[]> {
  let asked = files;
  while (asked.length > 0) {
    try {
      const options = { input: `${asked.join('\0')}\0`, accept: [0, 1] } as const;
      return fileNames((await git.run(['check-ignore', '-z', '--stdin'], options)).stdout);
    } catch (error) {
      // Git answers nothing at all then, and names one of them at a time.
      const inner = error instanceof GitProblem ? /is in submodule '(.+)'$/s.exec(error.what)?.[1] : undefined;
      const left = inner === undefined ? asked : asked.filter((file) => !isWithin(file, inner));
      if (left.length === asked.length) throw error;
      asked = left;
    }
  }
  return [];
}
