import type { Git, GitAnswer } from './git-run.js';

/** `from`: where it must be before; `nowhere`: it must not be there yet. */
export type RefMove =
  | { readonly ref: string; readonly to: string; readonly from?: string | 'nowhere' }
  | { readonly ref: string; readonly to: 'nowhere'; readonly from?: string };

export interface MoveOptions {
  /** For the log of the refs. */
  readonly message?: string;
  readonly accept?: readonly number[];
}

/**
 * Moves refs in this order, what goes away last, all of them or none. Never through one that is only another name for a third. Whoever is
 * killed before git has read the last word has moved nothing.
 */
export function moveRefs(git: Git, moves: readonly RefMove[], options: MoveOptions = {}): Promise<GitAnswer> {
  const { message, accept } = options;
  const words = moves.flatMap(wordsOf);
  const args = ['update-ref', ...(message === undefined ? [] : ['-m', message]), '--no-deref', '-z', '--stdin'];
  const input = ['start', ...words, 'commit', ''].join('\0');
  return git.run(args, { input, ...(accept ? { accept } : {}) });
}

function wordsOf({ ref, to, from = '' }: RefMove): readonly string[] {
  if (to === 'nowhere') return [`delete ${ref}`, from];
  return from === 'nowhere' ? [`create ${ref}`, to] : [`update ${ref}`, to, from];
}
