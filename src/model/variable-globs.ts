/** Whether a variable's name fits one of the patterns of `passEnv` or `secrets`; a `*` stands for any letters. */
export function nameMatcher(globs: readonly string[]): (name: string) => boolean {
  const names = new Set(globs.filter((glob) => !isNameGlob(glob)));
  const patterns = globs.filter(isNameGlob).map((glob) => glob.split(/\*+/).map(literal).join('.*'));
  if (patterns.length === 0) return (name) => names.has(name);
  const pattern = new RegExp(`^(?:${patterns.join('|')})$`, 's');
  return (name) => names.has(name) || pattern.test(name);
}

export const isNameGlob = (glob: string): boolean => glob.includes('*');

/** As part of a regular expression that stands for nothing but itself. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
