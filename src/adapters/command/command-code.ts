import { exportable } from './environment.js';
import type { PreparedCommand } from './prepare-command.js';
import { quoteWord } from './quote-word.js';

/**
 * The line of bash code that turns a subshell into the command. `variables` come on top of what bash itself holds.
 * Each step that fails leaves the rest undone. Descriptor 3 is the slot's own. Undefined when it cannot be written down:
 * env(1), which has to pass variables that bash cannot hold, takes a program with `=` in its path for one more of them.
 */
export function commandCode(
  command: PreparedCommand,
  variables: { readonly [name: string]: string },
): string | undefined {
  const exports: string[] = [];
  const foreign: string[] = [];
  for (const [name, value] of Object.entries(variables)) {
    if (exportable(name, value)) exports.push(`${name}=${quoteWord(value)}`);
    else foreign.push(quoteWord(`${name}=${value}`));
  }
  if (foreign.length > 0 && command.program.includes('=')) return undefined;
  const calledAs = command.calledAs === command.program ? '' : `-a ${quoteWord(command.calledAs)} `;
  // Half a millisecond for each command, so only where it must be.
  const through = foreign.length === 0 ? calledAs : `/usr/bin/env ${foreign.join(' ')} `;
  const words = [command.program, ...command.args].map(quoteWord).join(' ');
  const logs = `>>${quoteWord(command.stdoutFile)} 2>>${quoteWord(command.stderrFile)}`;
  return `cd ${quoteWord(command.cwd)}&&export ${exports.join(' ')}&&exec ${through}${words} ${logs} </dev/null 3>&-`;
}
