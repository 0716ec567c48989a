/** Characters that mean nothing to any shell, wherever they stand. */
export const isPlain = (value: string): boolean => /^[A-Za-z0-9_./:@%+,-]+$/.test(value);

/** Words that a shell takes for its own grammar where a command could stand. */
export const isReserved = (word: string): boolean =>
  /^(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|in|time|function|select|coproc)$/.test(word);

/** One word for a POSIX shell, with quotes only where it needs them. */
export function shellQuote(value: string): string {
  const isOption = /^-[A-Za-z0-9_./:@%+,=-]*$/.test(value);
  return isOption || (isPlain(value) && !isReserved(value)) ? value : singleQuoted(value);
}

/** Good for every text without NUL: between single quotes a shell reads nothing but the closing quote. */
export const singleQuoted = (value: string): string => `'${insideSingleQuotes(value)}'`;

/** For text that already stands between single quotes: they are left, the quote is escaped, and they begin anew. */
export const insideSingleQuotes = (value: string): string => value.replaceAll("'", "'\\''");

/** For text that already stands between double quotes. */
export const insideDoubleQuotes = (value: string): string => value.replace(/[\\"$`]/g, '\\$&');
