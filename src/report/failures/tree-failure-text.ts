import type { Failure, FailureCode } from '../../model/failure.js';
import { logHint } from '../words/log-like.js';
import { listed, shellWord } from '../words/phrase.js';
import type { FailureWords } from './failure-words.js';

type TreeCode = Extract<
  FailureCode,
  'worktree-failed' | 'cannot-keep' | 'object-forged' | 'merge-conflict' | 'checkout-written' | 'worktree-written'
>;
type Words = { readonly [C in TreeCode]: (failure: Extract<Failure, { code: C }>) => FailureWords };

/** What went wrong with a worktree, and what to do about it. */
export const treeWords: Words = {
  'worktree-failed': ({ detail, fix }) => ({ what: detail, next: fix }),
  'cannot-keep': ({ files, detail, fix }) => ({ what: `${listed(files)}: ${detail}; ${fix}`, next: keepable }),
  'object-forged': ({ objects }) => ({
    what: `objects of git are not what their names say: ${listed(objects.map(objectWords))}; nothing was written from them`,
    next: 'Somebody has exchanged them in .git: git fsck names all of that kind; bring them back from a clone or a backup, then go on with autoresearch exec',
  }),
  'merge-conflict': ({ branch, path, files }) => ({
    what: `its work meets other changes in ${listed(files)} and cannot be merged; it is all in the branch ${branch} and in ${path}`,
    next: `Merge it by hand with git merge ${shellWord(branch)}, then go on with autoresearch exec; or force the stage, which begins anew`,
  }),
  'checkout-written': ({ agent, files, head, beside }) => ({
    what: `${agent === undefined ? 'something' : `agent ${agent}, or somebody else,`} wrote in your checkout instead of in its worktree: ${written(files, head)}${beside ? ` (${listed(beside)} worked there at the same time)` : ''}; nothing was put back`,
    next: `Look at these changes and put back what is not yours; while agents run, work in a clone of your own${logHint(files)}`,
  }),
  'worktree-written': ({ path, files, beside }) => ({
    what: `somebody else wrote in its worktree while it was not at work there: ${listed(files)}${beside ? ` (${listed(beside)} worked at the same time)` : ''}; nothing is merged, and all of it stays in ${path}`,
    next: 'Find out who wrote there (sandbox: bwrap keeps agents from it), then go on with autoresearch exec, which begins the task anew',
  }),
};

const keepable = 'Write it so that a commit gives back what was written, then go on with autoresearch exec';

const objectWords = ({ id, path }: { readonly id: string; readonly path: string }): string =>
  `${id} (${path === '' ? 'a commit, or its top folder' : path})`;

function written(files: readonly string[], head: Extract<Failure, { code: 'checkout-written' }>['head']): string {
  const moved = head ? [`git went from ${head.from} to ${head.to}`] : [];
  return [...(files.length > 0 ? [listed(files)] : []), ...moved].join('; ');
}
