/**
 * The program that shell text begins with, when there is no doubt that the text cannot do without it: undefined for builtins, for
 * variables, and where something else would be run in its place.
 */
export function firstProgram(run: string): string | undefined {
  const [word = ''] = run.trim().split(/[\s;&|<>()]/, 1);
  if (!/^[\w./+-]+$/.test(word) || shellWords.has(word) || run.includes('||')) return undefined;
  return word;
}

/** Of any shell: rather one too many, because a program that only seems to be missing would keep a study from running. */
const shellWords: ReadonlySet<string> = new Set(
  `. alias bg break builtin case cd command continue declare do done echo elif else enable esac eval exec exit export
  false fg fi for function getopts hash help if in jobs kill let local printf pwd read readonly return select set shift source
  test then time times trap true type typeset ulimit umask unalias unset until wait while`.split(/\s+/),
);
