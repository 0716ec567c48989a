/** Tells whether a path matches a pattern, as the file search does. The library is loaded only where there are globs. */
export type GlobMatch = (pattern: string, path: string) => boolean;

export async function loadGlobMatch(): Promise<GlobMatch> {
  const { default: picomatch } = await import('picomatch');
  const matchers = new Map<string, (path: string) => boolean>();
  return (pattern, path) => {
    let matcher = matchers.get(pattern);
    if (!matcher) {
      // With `s` a line break in a name is a letter like any other. The search takes a pattern that ends in a name for a folder too, and reads `[!a]` as shells do.
      matcher = picomatch(pattern.endsWith('*') ? pattern : `${pattern}/**`, { dot: true, posix: true, flags: 's' });
      matchers.set(pattern, matcher);
    }
    return matcher(path);
  };
}
