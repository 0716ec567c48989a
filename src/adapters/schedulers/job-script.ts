import type { JobOrder } from '../../model/scheduler.js';
import { singleQuoted } from '../../source/shell-quote.js';
import { hiddenWords, hidingLines } from './hidden-words.js';

/**
 * The wrapper around a job, the first of the two witnesses of how it ended. It works in the job's folder:
 *   claim/    made by the first job that bears the tag; another one that comes later leaves at once
 *   starts    a line for each time that it began, so that requeues can be counted
 *   exit      tag, id and exit code; appears whole, and only when the command came to its end
 * Plain sh, because nobody knows what a cluster has.
 */
export function jobScript(order: JobOrder, { id, queue = [], command = plainly }: ScriptParts): string {
  const { tag, label, dir, cwd, env } = order;
  return lines([
    '#!/bin/sh',
    `# autoresearch job ${oneLine(label)}`,
    `dir=${singleQuoted(dir)}`,
    `tag=${singleQuoted(tag)}`,
    `id=${id}`,
    'exec </dev/null >>"$dir/stdout.log" 2>>"$dir/stderr.log"',
    'if ! mkdir "$dir/claim" 2>/dev/null; then',
    '  if [ ! -d "$dir/claim" ]; then echo "autoresearch: cannot write to $dir" >&2; exit 98; fi',
    '  if [ -z "$id" ] || [ "$(cat "$dir/claim/owner" 2>/dev/null)" != "$id" ]; then',
    `    echo "autoresearch: a job with the tag $tag has begun before; this one ($id) does nothing" >>"$dir/twice.log"`,
    `    exit ${secondOfItsTag}`,
    '  fi',
    'fi',
    'printf \'%s\\n\' "$id" >"$dir/claim/owner.new" && mv "$dir/claim/owner.new" "$dir/claim/owner" || exit 98',
    ...queue,
    'rm -f "$dir/exit"',
    'printf \'%s %s %s\\n\' "$id" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(uname -n)" >>"$dir/starts" || exit 98',
    ...Object.entries(env).map(exported),
    `cd ${singleQuoted(cwd)}`,
    'code=$?',
    ...hidingLines(order),
    'if [ "$code" -eq 0 ]; then',
    ...command(hiddenWords(order)),
    'else',
    '  code=126',
    'fi',
    'printf \'%s %s %s\\n\' "$tag" "${id:--}" "$code" >"$dir/exit.new" && mv "$dir/exit.new" "$dir/exit"',
    'exit "$code"',
  ]);
}

export interface ScriptParts {
  /** A word of shell code for the job's own id; may be empty where the scheduler does not tell it. */
  readonly id: string;
  /** Lines that wait for a place to run in. */
  readonly queue?: readonly string[];
  /** Lines that run the command and set `code`. */
  command?(words: string): readonly string[];
}

/** The exit code of a job that found another one with its tag. */
export const secondOfItsTag = 97;

const plainly = (words: string): readonly string[] => [`  ${words}`, '  code=$?'];

function exported([name, value]: readonly [string, string]): string {
  // What no shell can export is refused with the config.
  return `export ${name}=${singleQuoted(value)}`;
}

const oneLine = (text: string): string => text.replace(/[^ -~]/g, '?');

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;
