import { setOptions } from '../report/words/set-options.js';
import { shellQuote } from '../source/shell-quote.js';
import type { CliContext } from './context.js';

/**
 * The options that make the next command speak of the same study, as they would be typed; empty, or with a space before.
 * Whoever speaks of a run that was made with other values than are typed now names them: without, it would be another one.
 */
export const again = (context: CliContext, ofRun: readonly string[] = []): string =>
  `${place(context)}${setOptions(context.set.length > 0 ? context.set : ofRun)}`;

/** Those of them that say where the study is. */
export const place = (context: CliContext): string =>
  typed(
    ['config', 'cwd', 'agent-id'].flatMap((name) => {
      const value = context.value(name);
      return value === undefined ? [] : [`--${name}`, value];
    }),
  );

const typed = (parts: readonly string[]): string => parts.map((part) => ` ${shellQuote(part)}`).join('');
