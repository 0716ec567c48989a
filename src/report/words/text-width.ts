/** How many terminal cells a text takes, and cutting to a number of cells. Expects text without escape sequences. */
export function displayWidth(text: string): number {
  if (isPrintableAscii(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Cuts to at most `width` cells; what is lost is marked at the end. */
export function truncate(text: string, width: number, mark = '…'): string {
  if (text.length <= width && isPrintableAscii(text)) return text;
  if (displayWidth(text) <= width) return text;
  if (width <= mark.length) return mark.slice(0, Math.max(0, width));
  let kept = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    used += graphemeWidth(grapheme);
    if (used > width - mark.length) break;
    kept += grapheme;
  }
  return kept + mark;
}

/** Cuts in the middle, where the beginning and the end both tell: `train:arm=…,seed=17`. */
export function truncateMiddle(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  const room = width - mark.length;
  if (room < 2) return truncate(text, width, mark);
  const head = truncate(text, Math.floor(room / 2) + mark.length, mark).slice(0, -mark.length);
  const kept: string[] = [];
  let used = displayWidth(head);
  for (const grapheme of [...graphemes(text)].reverse()) {
    used += graphemeWidth(grapheme);
    if (used > room) break;
    kept.unshift(grapheme);
  }
  return head + mark + kept.join('');
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;

/** What a reader takes for one character: a letter with its accents, a flag, a family of emoji. */
export function* graphemes(text: string): Generator<string> {
  // Nearly all there is; the segmenter takes a thousand times longer.
  if (isPrintableAscii(text)) return yield* text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

export function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 0;
  if (code < 0x300) return emojiStyle.test(grapheme) ? 2 : 1;
  if (zeroWidth.test(grapheme)) return 0;
  return isWide(code) || emoji.test(grapheme) || emojiStyle.test(grapheme) ? 2 : 1;
}

let segmenter: Intl.Segmenter | undefined;

const isPrintableAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const emoji = /^\p{Emoji_Presentation}/u;
/** A sign that is text by itself and becomes a picture by the selector U+FE0F. */
const emojiStyle = /^\p{Emoji}\uFE0F/u;

/** East Asian Wide and Fullwidth blocks (Unicode Standard Annex 11), as ranges of code points. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
];

const isWide = (code: number): boolean => wideRanges.some(([first, last]) => code >= first && code <= last);
