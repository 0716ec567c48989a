/** `Did you mean "stages"?` for the candidate that is nearest to a misspelt word, when one is near enough. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const best = nearest(word, candidates);
  return best === undefined ? undefined : `Did you mean "${best}"?`;
}

/** The candidate with the fewest edits, at most a third of the word's length (one for short words). */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const sameStem = candidates.find((candidate) => stem(candidate) === stem(word));
  if (sameStem !== undefined) return sameStem;
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/** One word in singular and plural: `retries` and `retry`. */
const stem = (word: string): string => word.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '');

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
