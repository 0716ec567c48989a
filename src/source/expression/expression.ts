import type { Environment } from '@marcbachmann/cel-js';
import { err, ok, type Result } from '../../model/result.js';
import type { TextProblem } from '../../model/text-problem.js';
import { type ExpressionFailure, guard, useJsonNumbers } from './expression-guard.js';
import { checkNames, type ExpressionNames } from './expression-names.js';
import type { CelNode } from './expression-node.js';
import { evaluationProblem, kind, syntaxProblem, typeProblem } from './expression-problem.js';

/**
 * CEL expressions that give true or false. Numbers are those of JSON: `3 / 2` is 1.5. What would be NaN, infinite or
 * an error is a problem, also where `||` would not need it; text never equals a number, it is a problem to ask.
 */
export interface Expressions {
  /** Without `names` every name is taken for known. */
  check(text: string, names?: ExpressionNames): Result<ExpressionUse, readonly TextProblem[]>;
  evaluate(text: string, names: ExpressionNames): Result<boolean, readonly TextProblem[]>;
}

export interface ExpressionUse {
  /** `vars.steps`, `matrix.seed`; `vars` alone means all of them. */
  readonly names: ReadonlySet<string>;
}

/** The only door to the CEL library. */
export async function loadExpressions(): Promise<Expressions> {
  const cel = await import('@marcbachmann/cel-js');
  const environment = new cel.Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    // Trees are walked by recursion, so they may not be deeper than the stack.
    limits: { maxAstNodes: 2000 },
  });
  registerNumbers(environment);
  registerUnequalKinds(environment, (message) => new cel.EvaluationError(message));
  const functions = new Set(environment.getDefinitions().functions.map(({ name }) => name));
  return new CachedExpressions(environment, functions);
}

/** Whole numbers come from `size` and the like; they mix with the numbers of JSON as they would on paper. */
function registerNumbers(environment: Environment): void {
  const both = (operator: string, handle: (a: number, b: number) => number) => {
    const asNumbers = (a: number | bigint, b: number | bigint) => handle(Number(a), Number(b));
    environment.registerOperator(`int ${operator} double: double`, asNumbers);
    environment.registerOperator(`double ${operator} int: double`, asNumbers);
  };
  both('+', (a, b) => a + b);
  both('-', (a, b) => a - b);
  both('*', (a, b) => a * b);
  both('/', (a, b) => a / b);
  both('%', (a, b) => a % b);
  environment.registerOperator('double % double: double', (a: number, b: number) => a % b);
  environment.registerOperator('int == double', (a: bigint, b: number) => Number(a) === b);
}

/** `"5" == 5` is false in CEL, so a stage would be left out without a word. Nobody asks that on purpose. */
function registerUnequalKinds(environment: Environment, failure: (message: string) => Error): void {
  const kinds = ['string', 'bool', 'double', 'int', 'list', 'map'];
  for (const [index, left] of kinds.entries()) {
    for (const right of kinds.slice(index + 1)) {
      if (left === 'double' && right === 'int') continue;
      environment.registerOperator(`${left} == ${right}`, () => {
        throw failure(`${kind(left)} never equals ${kind(right)}`);
      });
    }
  }
}

interface Parsed {
  readonly root: CelNode;
  readonly problems: readonly TextProblem[];
  run(names: ExpressionNames): unknown;
  failure: ExpressionFailure | undefined;
}

class CachedExpressions implements Expressions {
  #environment: Environment;
  #functions: ReadonlySet<string>;
  #parsed = new Map<string, Parsed | TextProblem>();

  constructor(environment: Environment, functions: ReadonlySet<string>) {
    this.#environment = environment;
    this.#functions = functions;
  }

  check(text: string, names?: ExpressionNames): Result<ExpressionUse, readonly TextProblem[]> {
    const parsed = this.#parse(text);
    if ('code' in parsed) return err([parsed]);
    const facts = checkNames(parsed.root, names);
    // A misspelt name and a wrong type are both worth knowing; a type that follows from the name is not.
    const problems = facts.problems.length > 0 ? facts.problems : parsed.problems;
    return problems.length > 0 ? err(problems) : ok({ names: facts.names });
  }

  evaluate(text: string, names: ExpressionNames): Result<boolean, readonly TextProblem[]> {
    const checked = this.check(text, names);
    if (!checked.ok) return checked;
    const parsed = this.#parse(text) as Parsed;
    parsed.failure = undefined;
    let value: unknown;
    try {
      value = parsed.run(names);
    } catch (error) {
      parsed.failure ??= { error, node: parsed.root };
    }
    if (parsed.failure) return err([evaluationProblem(parsed.failure)]);
    return typeof value === 'boolean' ? ok(value) : err([notBoolean(text, kindOfValue(value))]);
  }

  #parse(text: string): Parsed | TextProblem {
    let parsed = this.#parsed.get(text);
    if (!parsed) {
      parsed = this.#parseAnew(text);
      this.#parsed.set(text, parsed);
    }
    return parsed;
  }

  #parseAnew(text: string): Parsed | TextProblem {
    let program: ReturnType<Environment['parse']>;
    try {
      program = this.#environment.parse(text);
    } catch (error) {
      return syntaxProblem(text, error);
    }
    const root = program.ast as unknown as CelNode;
    const tooLarge = useJsonNumbers(root);
    if (tooLarge[0])
      return {
        code: 'AR404',
        message: 'this number is too large to be exact',
        within: [tooLarge[0].start, tooLarge[0].end],
      };
    const parsed: Parsed = { root, problems: this.#typeProblems(text, program), run: program, failure: undefined };
    guard(root, (failure) => {
      parsed.failure ??= failure;
    });
    return parsed;
  }

  #typeProblems(text: string, program: ReturnType<Environment['parse']>): readonly TextProblem[] {
    const checked = program.check();
    if (!checked.valid) return [{ within: [0, text.length], ...typeProblem(checked.error, this.#functions) }];
    return checked.type === 'bool' || checked.type === 'dyn' ? [] : [notBoolean(text, kind(checked.type ?? 'dyn'))];
  }
}

const notBoolean = (text: string, what: string): TextProblem => ({
  code: 'AR406',
  message: `the expression gives ${what}, not true or false`,
  within: [0, text.length],
});

const kindOfValue = (value: unknown): string =>
  kind(
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'list'
        : ({ number: 'double', bigint: 'int', string: 'string' }[typeof value as 'number'] ?? 'map'),
  );
