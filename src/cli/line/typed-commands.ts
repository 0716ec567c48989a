import type { CommandLine } from './command-line.js';
import { commands } from './commands.js';

/**
 * Puts what a person has to type in place of `autoresearch` before the name of a command. Whoever makes words does not know how
 * the program was started, and what stands in files must not depend on it; so it is said where words go out to a person.
 */
export function typedCommands(own: () => string): (text: string) => string {
  const names = [...Object.keys(commands), 'COMMAND'].join('|');
  let pattern: RegExp | undefined;
  return (text) => {
    if (!text.includes('autoresearch ')) return text;
    const command = own();
    if (command === 'autoresearch') return text;
    pattern ??= new RegExp(`${before}autoresearch (?=(?:${names})(?![\\w-]|\\.\\w))`, 'g');
    // What a command printed, or stands in a config, is quoted behind a bar, as it is.
    return text
      .split('\n')
      .map((line) => (quoted.test(line) ? line : line.replace(pattern!, () => `${command} `)))
      .join('\n');
  };
}

/** At the beginning of a word, also of a coloured one; not behind what starts it already. */
const before = `(?<=^|[\\s"'\`(]|\\u001b\\[[0-9;]*m)(?<!npx |-- )`;
const quoted = /^(?:\s|\d|\u001b\[[0-9;]*m)*[│|]/;

/** Commands whose output is data, or words of others: those are printed as they are. */
const printing: ReadonlySet<string> = new Set(['completion', 'config', 'export', 'logs', 'render', 'report', 'schema']);

/** Whether what a command line prints on standard output is for a person to read. */
export const isSaid = ({ command, flags, values }: Pick<CommandLine, 'command' | 'flags' | 'values'>): boolean =>
  !printing.has(command) &&
  !flags.has('json') &&
  !values.has('graph') &&
  values.get('reporter')?.includes('json') !== true;
