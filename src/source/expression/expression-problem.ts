import type { TextProblem } from '../../model/text-problem.js';
import { nearest } from '../did-you-mean.js';
import { type ExpressionFailure, NeverIn, NotANumber, WholeDivision } from './expression-guard.js';

/** What the CEL library throws. */
interface CelError {
  readonly name: string;
  readonly code: string;
  readonly summary: string;
  readonly range?: { readonly start: number; readonly end: number };
}

const isCelError = (error: unknown): error is CelError =>
  error instanceof Error && 'summary' in error && 'code' in error;

/** A text that is no expression. */
export function syntaxProblem(text: string, error: unknown): TextProblem {
  if (isTooDeep(error)) {
    return { code: 'AR404', message: 'the expression is too long, or too deeply nested', within: [0, text.length] };
  }
  if (!isCelError(error)) throw error;
  const { start, end } = error.range ?? { start: 0, end: text.length };
  const found = text.slice(start, end);
  const word = /^\w*/.exec(text.slice(start))?.[0] ?? '';
  const hint = text.includes('{{')
    ? 'Write the name without braces: an expression is no template'
    : (instead.get(found) ?? instead.get(word));
  const message =
    text.trim() === ''
      ? 'the expression is empty'
      : start >= text.length
        ? 'the expression ends too soon'
        : `"${found || word}" cannot stand here`;
  return { code: 'AR404', message, ...(hint === undefined ? {} : { hint }), within: [start, Math.max(end, start)] };
}

/** What people write from habit, and what it is called here. */
const instead: ReadonlyMap<string, string> = new Map([
  ['=', 'Compare with =='],
  ['&', 'Write && for "and"'],
  ['|', 'Write || for "or"'],
  ['and', 'Write && for "and"'],
  ['or', 'Write || for "or"'],
  ['not', 'Write ! for "not"'],
  ['var', 'Did you mean "vars"?'],
]);

/** The stack ends, or the library's own limits are reached; both are the fault of the text. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof RangeError || (isCelError(error) && error.code === 'limit_exceeded');

/** An expression whose types cannot fit, seen before it is evaluated. */
export function typeProblem(error: unknown, functions: ReadonlySet<string>): TextProblem {
  // Where the library finds two meanings for one operator it gives up with an error of JavaScript.
  if (!isCelError(error)) return { code: 'AR406', message: 'the kinds of the values in it cannot be told apart' };
  const unknown = unknownFunction(error, functions);
  return unknown ?? { code: 'AR406', message: plainly(error.summary), ...rangeOf(error) };
}

/** An expression that failed while it was evaluated. */
export function evaluationProblem({ error, node }: ExpressionFailure): TextProblem {
  const within: readonly [number, number] = [node.start, node.end];
  if (error instanceof WholeDivision) {
    const message = 'this divides two whole numbers, which would drop the fraction';
    return { code: 'AR406', message, hint: 'Write double(…) around one of them', within };
  }
  if (error instanceof NeverIn) {
    return { code: 'AR406', message: 'this is never in the list, which holds values of other kinds', within };
  }
  if (error instanceof NotANumber) {
    return { code: 'AR406', message: 'this is not a finite number, as after a division by zero', within };
  }
  // The library lets some errors of JavaScript through, such as those of dates that do not exist.
  if (!isCelError(error))
    return { code: 'AR406', message: `this cannot be worked out: ${(error as Error).message}`, within };
  return { code: 'AR406', message: plainly(error.summary), within, ...rangeOf(error) };
}

const rangeOf = ({ range }: CelError): { within?: [number, number] } =>
  range ? { within: [range.start, range.end] } : {};

function unknownFunction(error: CelError, functions: ReadonlySet<string>): TextProblem | undefined {
  const name = /^found no matching overload for '(?:[^('.]*\.)?(\w+)\(/.exec(error.summary)?.[1];
  if (name === undefined || functions.has(name)) return undefined;
  const near = nearest(name, [...functions]);
  const hint = near === undefined ? {} : { hint: `Did you mean "${near}"?` };
  return { code: 'AR405', message: `unknown function "${name}"`, ...hint, ...rangeOf(error) };
}

/** The library's words for types, in ours. */
function plainly(summary: string): string {
  const operator = /^no such overload: (\S+) (\S+) (\S+)$/.exec(summary);
  if (operator) return `"${operator[2]}" does not take ${kind(operator[1]!)} and ${kind(operator[3]!)}`;
  const unary = /^no such overload: ([!-])(\S+)$/.exec(summary);
  if (unary) return `"${unary[1]}" does not take ${kind(unary[2]!)}`;
  const call = /^found no matching overload for '(?:([^('.]*)\.)?(\w+)\((.*)\)'$/.exec(summary);
  if (call)
    return `"${call[2]}" does not take ${
      [call[1], ...call[3]!.split(', ')]
        .filter(Boolean)
        .map((type) => kind(type!))
        .join(', ') || 'nothing'
    }`;
  const logical = /^Logical operator requires bool operands, got '(.*)'$/.exec(summary);
  if (logical) return `"&&" and "||" take true or false, not ${kind(logical[1]!)}`;
  const branches = /^Ternary branches must have the same type, got '(.*)' and '(.*)'$/.exec(summary);
  if (branches) return `the two sides of ":" are ${kind(branches[1]!)} and ${kind(branches[2]!)}`;
  const condition = /^Ternary condition must be bool, got '(.*)'$/.exec(summary);
  if (condition) return `what stands before "?" gives ${kind(condition[1]!)}, not true or false`;
  const index = /index out of bounds, index (\S+) (?:>= size (\d+)|< 0)$/.exec(summary);
  if (index) return `there is no item ${index[1]} in ${index[2] === undefined ? 'a list' : `a list of ${index[2]}`}`;
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

export function kind(type: string): string {
  const bare = type.replace(/^dyn<(.*)>$/, '$1').replace(/<.*/, '');
  const words: { readonly [type: string]: string } = {
    int: 'a whole number',
    uint: 'a whole number',
    double: 'a number',
    string: 'text',
    bool: 'true or false',
    list: 'a list',
    map: 'a map',
    null: 'null',
    dyn: 'something',
  };
  return words[bare] ?? bare;
}
