import { isIndented, isMerelyLogged, isQuoted, isWrapper, looksWrong, tellingLine } from './error-lines.js';
import { knownClassOf } from './error-patterns.js';

/** How many lines at the end of the error log are thought to say why the command ended. */
const closingLines = 5;

export interface Deciding {
  readonly line: string;
  /** Whether it may speak for a quota: what a program only printed or quoted cannot. */
  readonly trusted: boolean;
  /** The line itself, then those after it, then those before it: where a time may stand. */
  readonly around: readonly string[];
}

/**
 * The line that decides the class. A program says why it ends at the end, so only the last five lines of the error log
 * that are neither indented nor empty talk count, and of these the last that reports an error: a message further up, one
 * that another error follows, and one in something the program merely showed — a quotation, a listing, a comment, a
 * line of code, a line of its log below the level of an error — is not why it ended. The output log never decides.
 */
export function decidingLine(stderr: readonly string[]): Deciding | undefined {
  const npm = stderr.findLast((line) => /^npm (?:ERR!|error) code (?!ELIFECYCLE)/.test(line));
  if (npm !== undefined) return { line: npm, trusted: true, around: stderr.slice(stderr.indexOf(npm)) };
  const closing: number[] = [];
  for (let index = stderr.length - 1; index >= 0 && closing.length < closingLines; index -= 1) {
    const line = stderr[index]!;
    if (!isIndented(line) && !isWrapper(line)) closing.push(index);
  }
  const found = closing.find((index) => reports(stderr[index]!));
  const line = found === undefined ? tellingLine(stderr, []) : stderr[found];
  if (line === undefined) return undefined;
  const trusted = found !== undefined && !isQuoted(line);
  return { line, trusted, around: found === undefined ? [] : around(stderr, closing, found) };
}

const reports = (line: string): boolean =>
  !isMerelyLogged(line) && (looksWrong(line) || (knownClassOf(line) !== undefined && !isQuoted(line)));

function around(stderr: readonly string[], closing: readonly number[], found: number): readonly string[] {
  const first = closing.at(-1) ?? found;
  return [stderr[found]!, ...stderr.slice(found + 1), ...stderr.slice(first, found).filter((line) => !isQuoted(line))];
}
