import type { FileFacts } from '../model/stage.js';

/** Why a file says nothing about this run; undefined where it does. Also of one that the run has written into: nobody can tell that from another date. */
export function olderFile(path: string, { isOlder, madeByFormer }: FileFacts): string | undefined {
  if (madeByFormer !== undefined) return `${path} was made by ${madeByFormer}, which is no task of the study any more`;
  if (!isOlder) return undefined;
  return `${path} is older than the run or its plan: it was there before, and no task has written it as one of its outputs`;
}
