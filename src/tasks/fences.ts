/** A block between two lines of three or more backticks or tildes. */
export interface Fence {
  /** From the first character of the opening line to the end of the closing one. */
  readonly start: number;
  readonly end: number;
  readonly language: string;
  readonly inner: string;
}

/**
 * The closed fences of a text, in order. Line by line, because a pattern would look for the end of each anew. Authors put
 * fences into fences and lose count; a tag that stands further left than a fence shows that the fence has ended.
 */
export function fencesOf(text: string): readonly Fence[] {
  const found: Fence[] = [];
  let open: Opening | undefined;
  for (const match of text.matchAll(/^([ \t]*)(?:(`{3,}|~{3,})(.*)|<\/?(?:task|feature)\b.*)$/gm)) {
    const [line, indent, mark, after] = match as unknown as [string, string, string | undefined, string | undefined];
    const end = match.index + line.length;
    const rest = after?.trim() ?? '';
    if (mark === undefined) open = open && indent.length < open.indent ? undefined : open;
    else if (!open) open = { start: match.index, inner: end + 1, mark, language: rest, indent: indent.length };
    else if (mark[0] === open.mark[0] && mark.length >= open.mark.length && rest === '') {
      const { start, language } = open;
      found.push({ start, end, language, inner: text.slice(open.inner, match.index) });
      open = undefined;
    }
  }
  return found;
}

interface Opening {
  readonly start: number;
  readonly inner: number;
  readonly mark: string;
  readonly language: string;
  readonly indent: number;
}

/** Those that lie in no fence; both in the order of the text. */
export function outsideFences<T extends { readonly index: number }>(text: string, items: readonly T[]): readonly T[] {
  const fences = fencesOf(text);
  let next = 0;
  return items.filter(({ index }) => {
    while (next < fences.length && fences[next]!.end <= index) next += 1;
    return next === fences.length || index < fences[next]!.start;
  });
}
