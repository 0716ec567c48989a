import type { EndNote } from '../model/files/end-note.js';

/** Why a journal cannot be the one that a note was written about: it lacks the end, or is another one. */
export function lostEnd(
  note: EndNote,
  run: string,
  entries: readonly { readonly hash: string }[],
): LostEnd | undefined {
  const last = entries.length;
  if (note.run !== run || note.first !== entries[0]?.hash) return { kind: 'other', line: 1 };
  if (note.seq >= last) return { kind: 'cut', line: last };
  return entries[note.seq]!.hash === note.hash ? undefined : { kind: 'changed', line: note.seq + 1 };
}

export interface LostEnd {
  readonly kind: 'other' | 'cut' | 'changed';
  /** Counts from 1. */
  readonly line: number;
}
