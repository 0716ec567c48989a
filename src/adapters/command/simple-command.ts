/** A command line that means the same with and without a shell: plain words, and at most one file that its output goes into. */
export interface SimpleCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly into?: string;
  /** Every shell does this itself and alike, and so does the one that would otherwise have to execute it. */
  readonly isBuiltIn?: true;
}

/**
 * Undefined for whatever a shell might read as more than words. Which shell `/bin/sh` is differs between machines, so what only some of
 * them do themselves counts as well.
 */
export function simpleCommand(text: string): SimpleCommand | undefined {
  // What may be too long for the system is told by the shell's words.
  const match = text.length > longest ? null : simple.exec(text);
  if (match === null) return undefined;
  const [program = '', ...args] = match[1]!.split(/ +/);
  const isBuiltIn = doneAlike.get(program)?.(args) === true;
  if (!isBuiltIn && doneByShells.has(program)) return undefined;
  return {
    program,
    args,
    ...(match[2] === undefined ? {} : { into: match[2] }),
    ...(isBuiltIn ? { isBuiltIn } : {}),
  };
}

/** What shells do not agree on are options of `echo` (a backslash is no plain letter) and statuses that are none. */
const doneAlike = new Map<string, (args: readonly string[]) => boolean>([
  ['true', () => true],
  ['false', () => true],
  ['echo', ([first = '']) => !first.startsWith('-')],
  ['exit', ([status = '', ...more]) => more.length === 0 && /^(?:1?\d?\d|2[0-4]\d|25[0-5])$/.test(status)],
]);

const longest = 4096;

/** No letter here means anything to a shell, except `=` in the first word, which is a bare name. */
const simple = /^([a-z_][\w.+-]*(?: +[\w./:=,@%+-]+)*)(?: +> *([\w./:,@%+-]+))? *$/i;

/** Builtins and reserved words of dash, bash, ksh, zsh and busybox. Not `sleep`: where a shell has it itself, it does what the program does. */
const doneByShells = new Set(
  (
    'alias autoload bg bind break builtin caller case cd chdir clone command compgen complete compopt continue coproc declare dirs disable ' +
    'disown do done echo elif else emulate enable end esac eval exec exit export fc fg fi float for foreach function functions getopts ' +
    'hash help history if in integer jobs kill let limit local log logout mapfile nocorrect noglob popd print printf pushd pwd r read ' +
    'readarray readonly rehash repeat return sched select set setopt setvar shift shopt source suspend test then time times trap ' +
    'ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt until vared wait whence where which while'
  ).split(' '),
);
