import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Unkept } from '../../model/files/isolation.js';
import { contentOf, lendFiles } from '../disk/lent-files.js';
import { inProject, told } from '../git/checkout-problem.js';
import { fromProject, type OwnTreeOf, type OwnTreeTools, verdictOn } from './own-tree.js';

/**
 * What the checks of a task see is what its branch and the project will have: commits, outputs, and what the project lends. With a scope, what lies
 * outside of it stays, because the agent cannot have written it: it is found when it did.
 */
export function unkeptIn(own: OwnTreeOf, tools: OwnTreeTools): Unkept {
  const { task, record, place, inside, protect } = own;
  const { worktrees, root, match, inTop } = tools;
  const { path, carried } = record;
  const at = place.workspace.root;
  const isUnchanged = (file: string): boolean => contentOf(join(at, file)) === carried[file];
  const isProtected = (whole: string): boolean => {
    const file = inProject(whole, inside)?.[0];
    return file !== undefined && protect.some((pattern) => match(pattern, file));
  };
  let lentAgain: readonly string[] = [];

  /** What the agent made of an ignored file that it was lent, or that it took it away, reaches nobody. */
  const lendAgain = async (outputs: ReadonlySet<string>): Promise<void> => {
    const missing = Object.keys(carried).filter(
      (file) => contentOf(join(at, file)) === undefined && !outputs.has(file) && !isProtected(inTop(file)),
    );
    if (missing.length === 0) return;
    const untracked = await worktrees.untracked(missing.map(inTop));
    lentAgain = Object.keys(
      lendFiles(
        root,
        at,
        missing.filter((file) => untracked.has(inTop(file))),
      ),
    );
  };
  const putBack = (): void => {
    for (const file of lentAgain) rmSync(join(at, file), { force: true });
    lentAgain = [];
    worktrees.putBack(path);
  };
  return {
    takeAway: (keep) =>
      movable(path, async () => {
        putBack();
        const lent = new Set(Object.keys(carried).filter(isUnchanged).map(inTop));
        const verdict = verdictOn(own, lent, tools);
        const outputs = new Set(place.files.expand(task.outputs));
        const { without, otherwise } = await asSeen(inside, () =>
          worktrees.takeAway({
            path,
            keep,
            allow: (file) => verdict(file) === 'in',
            stays: [...lent, ...[...outputs].map(inTop)],
            isWatched: (file) =>
              isProtected(file) || (inProject(file, inside) !== undefined && verdict(file) === 'outside'),
            isProtected,
          }),
        );
        await lendAgain(outputs);
        const named = (file: string): string => fromProject(file, inside);
        return { without: without.map(named), otherwise: otherwise.map(named) };
      }),
    putBack: () => movable(path, async () => putBack()),
  };
}

/** A project that is deeper in its repository has other names for its files. */
async function asSeen<Value>(inside: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.code !== 'cannot-keep') throw error;
    const { files, ...rest } = error.failure;
    throw new FailureError({ ...rest, files: files.map((file) => fromProject(file, inside)) });
  }
}

/** A disk that does not let us is no reason to pass. */
function movable<Value>(path: string, act: () => Promise<Value>): Promise<Value> {
  return told(async () => {
    try {
      return await act();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (error instanceof FailureError || !/^E[A-Z]+$/.test(code ?? '')) throw error;
      throw new FailureError({
        code: 'worktree-failed',
        detail: `what is in ${path} and in no commit cannot be moved: ${message}`,
        fix: 'Mend what is said there and go on with autoresearch exec',
      });
    }
  });
}
