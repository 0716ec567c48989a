type Seen = ReadonlyMap<string, string>;

/** Protected files that are as they were, and have been written all the same, or were another file for a while. */
export const touchedSince = (before: readonly Seen[], now: readonly Seen[]): readonly string[] => [
  ...new Set(
    now.flatMap((seen, at) =>
      [...seen].flatMap(([path, stamp]) => (before[at]?.has(path) && before[at].get(path) !== stamp ? [path] : [])),
    ),
  ),
];

/**
 * What was put back before anybody looked cannot be told from what was merely touched: builds, backups and `chmod` do that, too. So nobody has
 * violated anything, and whoever reads the result is told.
 */
export function touchedWarning(files: readonly string[]): string {
  const isOne = files.length === 1;
  return `${named(files)} ${isOne ? 'is' : 'are'} protected, and ${isOne ? 'was' : 'were'} written or touched while it ran: the content is the same as before, but may have been another one meanwhile`;
}

export const named = (files: readonly string[]): string =>
  files.length > 3 ? `${files.slice(0, 2).join(', ')} and ${files.length - 2} more` : files.join(', ');
