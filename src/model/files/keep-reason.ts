/** Why `clean` keeps a run that it was asked to remove. */
export type KeepReason = 'newest' | 'last-passed' | 'waiting' | 'in-use' | 'unsure';
