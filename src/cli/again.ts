import { shellQuote } from '../source/shell-quote.js';
import type { CliContext } from './context.js';

/** The options that make the next command speak of the same study, as they would be typed; empty, or with a space before. */
export const again = (context: CliContext): string =>
  `${place(context)}${typed(context.set.flatMap((value) => ['--set', value]))}`;

/** Those of them that say where the study is. */
export const place = (context: CliContext): string =>
  typed(
    ['config', 'cwd', 'agent-id'].flatMap((name) => {
      const value = context.value(name);
      return value === undefined ? [] : [`--${name}`, value];
    }),
  );

const typed = (parts: readonly string[]): string => parts.map((part) => ` ${shellQuote(part)}`).join('');
