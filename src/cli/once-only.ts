/** The first call makes it, and everybody gets the same: one ledger for a whole run notices when what it knew is gone. */
export function onceOnly<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
