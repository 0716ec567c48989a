/** The few colours this tool uses. Everything is plain text when colour is off. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

export const paint = (color: boolean): Paint => (color ? colored : plain);

/** Each colour has an end of its own, so that one may stand inside another (bold around red, say). */
const wrap =
  (start: number, end: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001B[${start}m${text}\u001B[${end}m`;

const same = (text: string): string => text;

const plain: Paint = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

const colored: Paint = {
  bold: wrap(1, 22),
  dim: wrap(2, 22),
  red: wrap(31, 39),
  green: wrap(32, 39),
  yellow: wrap(33, 39),
  cyan: wrap(36, 39),
};
