/** `1 task`, `2 tasks`; pass the plural where it is not made with an s. */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `a`, `a and b`, `a, b and c`, `a, b and 7 more`. */
export function listed(items: readonly string[], most = 3): string {
  if (items.length <= 1) return items[0] ?? '';
  if (items.length > most)
    return `${items.slice(0, Math.max(1, most - 1)).join(', ')} and ${items.length - Math.max(1, most - 1)} more`;
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

/** One argument of a command, quoted when a shell would read more into it. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A path as seen from a folder, when it lies inside; else as it is. */
export function shownPath(file: string, folder: string | undefined): string {
  if (folder === undefined || !file.startsWith('/')) return file;
  const base = folder.endsWith('/') ? folder : `${folder}/`;
  return file.startsWith(base) ? file.slice(base.length) : file;
}
