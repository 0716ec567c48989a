import { shellQuote } from '../../source/shell-quote.js';

/**
 * What `--set` said, as it would be typed again, with a space before it. The journal has `[secret NAME]` for the value of a
 * variable that nobody may read there; whoever types it has that variable.
 */
export const setOptions = (set: readonly string[]): string => set.map((value) => ` --set ${typed(value)}`).join('');

const typed = (value: string): string =>
  value
    .split(secret)
    .map((part, index) => (index % 2 === 1 ? `"$${part}"` : part === '' ? '' : shellQuote(part)))
    .join('') || "''";

const secret = /\[secret ([A-Za-z_]\w*)\]/;
