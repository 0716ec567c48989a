export interface Capture {
  readonly to: string;
  readonly env?: readonly string[];
}

type Run = string | readonly string[];

/**
 * The same work, which first writes down, where it runs, with which words and variables it does: what a parity check reads
 * with `format: argv`. Words between NUL signs, variables first; one that is not set is left out.
 */
export function captured(run: Run, capture: Capture | undefined): Run {
  if (!capture) return run;
  const isText = typeof run === 'string';
  const names = (capture.env ?? []).map(
    (name) => `if [ -n "\${${name}+x}" ]; then printf '%s\\0' "${name}=$${name}"; fi`,
  );
  // xargs takes quotes and backslashes apart as the shell does, and replaces nothing.
  const words = isText ? `printf '%s' "$1" | xargs printf '%s\\0'` : `printf '%s\\0' "$@"`;
  const script = [
    'to="$AUTORESEARCH_ROOT/$1"',
    'shift',
    'mkdir -p "$(dirname "$to")" || exit 98',
    `{ ${[...names, words].join('; ')}; } >"$to.new" || { echo 'autoresearch: the command line could not be captured' >&2; exit 98; }`,
    'mv "$to.new" "$to" || exit 98',
    isText ? 'exec sh -c "$1"' : 'exec "$@"',
  ].join('\n');
  return ['sh', '-c', script, 'sh', capture.to, ...(isText ? [run] : run)];
}
