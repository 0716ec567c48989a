import { exportable } from './environment.js';
import type { PreparedCommand } from './prepare-command.js';
import { quoteWord } from './quote-word.js';
import type { SimpleCommand } from './simple-command.js';

/**
 * The line of bash code that turns a subshell into the command. `variables` come on top of what bash itself holds.
 * Each step that fails leaves the rest undone. Descriptor 3 is the slot's own. Undefined when it cannot be written down:
 * env(1), which has to pass variables that bash cannot hold, takes a program with `=` in its path for one more of them.
 *
 * Where the command line is a `simple` one, the shell that would only execute it again is left out: starting one takes a third of
 * what a short command does. Whatever does not go well then is tried with the shell, so that people read its words.
 */
export function commandCode(
  command: PreparedCommand,
  variables: { readonly [name: string]: string },
  simple?: SimpleCommand,
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
  const logs = `>>${quoteWord(command.stdoutTo)} 2>>${quoteWord(command.stderrTo)} <${quoteWord(command.stdinFile)}`;
  const before = `cd ${quoteWord(command.cwd)}&&`;
  const exporting = `export ${exports.join(' ')}&&`;
  const whole = `${through}${words}`;
  if (!simple || foreign.length > 0) return `${before}${exporting}exec ${whole} ${logs} 3>&-`;
  // Nobody is executed who could read the variables, unless it does not go well.
  if (simple.isBuiltIn) return `${before}exec ${logs}&&{ ${withoutShell(simple)};${exporting}exec ${whole} 3>&-; }`;
  return `${before}${exporting}exec ${logs}&&{ ${withoutShell(simple)};exec ${whole} 3>&-; }`;
}

function withoutShell({ program, args, into, isBuiltIn }: SimpleCommand): string {
  const file = into === undefined ? '' : quoteWord(into);
  const opens = into === undefined ? '' : `{ >${file}; } 2>&3&&`;
  const to = into === undefined ? '' : ` >${file}`;
  const words = [program, ...args].map(quoteWord).join(' ');
  return isBuiltIn ? `${opens}{ ${words}${to};exit; }` : `hash ${program} 2>&3&&${opens}exec ${words} 3>&-${to}`;
}
