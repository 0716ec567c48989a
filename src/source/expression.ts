import type { Json } from '../model/json.js';
import { err, ok, type Result } from '../model/result.js';
import type { TextProblem } from '../model/text-problem.js';
import { didYouMean } from './did-you-mean.js';
import { loadLanguage } from './expression-language.js';

export type ExpressionNames = { readonly [name: string]: Json };

/** A parsed expression that can be asked again and again with other values. */
export interface Expression {
  /** `vars.steps`, `matrix.seed`: every name with its first part after the dot. */
  readonly names: ReadonlySet<string>;
  /** True or false and nothing else: a number, a missing name or a NaN is a problem, never a pass. */
  evaluate(names: ExpressionNames): Result<boolean, TextProblem>;
}

/** Parses CEL. `names` are the top-level names an expression may use; what lies below is known only when it is asked. */
export async function parseExpression(text: string, names: readonly string[]): Promise<Result<Expression, TextProblem>> {
  const language = await loadLanguage(names);
  let parsed: ReturnType<typeof language.parse>;
  try {
    parsed = language.parse(text);
    const check = language.check(text);
    if (!check.valid) throw check.error;
  } catch (error) {
    return err(problemOf(error, text, { names }));
  }
  return ok({
    names: usedNames(text),
    evaluate(values) {
      try {
        const value: unknown = parsed(values as Record<string, unknown>);
        if (typeof value === 'boolean') return ok(value);
        return err({ code: 'AR406', message: `the expression gives ${show(value)}, not true or false`, within: [0, text.length] });
      } catch (error) {
        return err(problemOf(error, text, { names, values }));
      }
    },
  });
}

interface CelError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly range?: { readonly start: number; readonly end: number };
}

/** The library's error in our words, at its own place. */
function problemOf(error: unknown, text: string, known: { names: readonly string[]; values?: ExpressionNames }): TextProblem {
  const { name, message, code, range } = error as CelError;
  const within = [range?.start ?? 0, Math.max(range?.end ?? text.length, (range?.start ?? 0) + 1)] as const;
  const first = message.split('\n')[0]!.trim();
  const unknown = /^(?:Unknown variable|No such key): (\S+)/.exec(first)?.[1];
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, code === 'unknown_variable' ? known.names : siblings(text, within[0], known.values));
    return { code: 'AR405', message: `unknown name "${unknown}"`, within, ...(hint === undefined ? {} : { hint }) };
  }
  if (name === 'ParseError') return { code: 'AR404', message: `syntax error: ${lowerFirst(first)}`, within };
  return { code: 'AR406', message: `the expression cannot be worked out: ${lowerFirst(first)}`, within };
}

/** The keys beside the one that is missing: of `vars` for `vars.stesp`. */
function siblings(text: string, at: number, values: ExpressionNames | undefined): readonly string[] {
  const owner = /([A-Za-z_]\w*)\s*\.\s*$/.exec(text.slice(0, at))?.[1];
  const value = owner === undefined ? undefined : values?.[owner];
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** Text in quotes is no name. */
const usedNames = (text: string): ReadonlySet<string> =>
  new Set(text.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""').match(/\b[A-Za-z_]\w*\s*\.\s*[A-Za-z_]\w*/g)?.map((name) => name.replace(/\s/g, '')) ?? []);

const show = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
