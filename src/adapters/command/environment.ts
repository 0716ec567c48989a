/** As in `process.env`. */
export type Environment = { readonly [name: string]: string | undefined };

/** In every command's environment: the ids of all commands it descends from, so that stragglers can be found. */
export const markerName = 'AUTORESEARCH_WARDEN';

/**
 * What the runner hands on. `_`, `OLDPWD` and `PWD` are a shell's notes about itself and about its own folder; each
 * command gets a `PWD` that is true for it. The marker is made anew for each command.
 */
export function inheritedEnvironment(base: Environment): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !dropped.has(name)) inherited[name] = value;
  }
  return inherited;
}

/** The marker of one command. It is a list, so that a runner inside a command does not hide from the runner outside. */
export const markerOf = (base: Environment, id: string): string => `${base[markerName] ?? ''}${id},`;

/** Splits variables into those that bash can hold for us from its start on, and those that only its commands may see. */
export function splitForBash(env: { readonly [name: string]: string }): {
  readonly held: Record<string, string>;
  readonly late: Record<string, string>;
} {
  const held: Record<string, string> = {};
  const late: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (changesBash.test(name) || !assignable(name, value)) late[name] = value;
    else held[name] = value;
  }
  return { held, late };
}

/** Whether `export name=value` in bash gives a program that very variable. Others have to go through env(1). */
export function exportable(name: string, value: string): boolean {
  // Every command of a run has the same few names.
  if (known.has(name)) return true;
  const isSo = identifier.test(name) && assignable(name, value);
  if (isSo && known.size < mostKnown && !language.test(name)) known.add(name);
  return isSo;
}

const known = new Set<string>();
const mostKnown = 1000;

/** Whether these can be passed on depends on their values. */
const language = /^(?:LANG|LC_.*)$/;

const dropped = new Set(['_', 'OLDPWD', 'PWD', markerName]);

const identifier = /^[A-Za-z_]\w*$/;

/** Harmless in a command's own subshell, but bash drops, resets or obeys them when it finds them at its start. */
const changesBash = /^(?:CHILD_MAX|FUNCNEST|GLOBIGNORE|IFS|MAILCHECK|OPTERR|OPTIND|PS[0124]|SHLVL|TMOUT)$/;

/** Read-only, computed or obeyed at once; `_ar_` is what the warden's script calls its own variables. */
const bashOwn =
  /^(?:_|_ar_.*|BASH(?!_ENV$|_FUNC_).*|COMP_.*|COPROC|DIRSTACK|EPOCH.*|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|PIPESTATUS|POSIXLY_CORRECT|PPID|S?RANDOM|SECONDS|SHELLOPTS|UID)$/;

/** In some Asian encodings a quote or a backslash can be half a character, so bash must not be told of them. */
function assignable(name: string, value: string): boolean {
  if (language.test(name)) return /^(?:|C|POSIX|C\.\w+|.*utf-?8(?:@\w+)?)$/i.test(value);
  return !bashOwn.test(name);
}
