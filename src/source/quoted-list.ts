/** `"a", "b" or "c"`. */
export function quotedList(words: readonly unknown[], conjunction = 'or'): string {
  return wordList(
    words.map((word) => JSON.stringify(word)),
    conjunction,
  );
}

/** `a, b or c`. */
export function wordList(words: readonly string[], conjunction = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
