import { shellQuote } from '../source/shell-quote.js';
import type { CliContext } from './context.js';

/** The options that make the next command speak of the same study, as they would be typed; empty, or with a space before. */
export function again(context: CliContext): string {
  const parts = [
    ...['config', 'cwd', 'agent-id'].flatMap((name) => {
      const value = context.value(name);
      return value === undefined ? [] : [`--${name}`, value];
    }),
    ...context.set.flatMap((value) => ['--set', value]),
  ];
  return parts.map((part) => ` ${shellQuote(part)}`).join('');
}
