import type { Config } from '../model/generated/config.js';
import type { Reason } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Expressions } from '../source/expression.js';
import type { ExpressionNames } from '../source/expression-names.js';
import type { Problems } from './problems.js';
import { mentionedVars } from './unused-vars.js';

/** The `when` of every stage that has one, and the expressions that wait for results: those can only be looked at. */
export class WhenRules {
  readonly #expressions: Expressions | undefined;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #later: readonly LaterExpression[];
  readonly #problems: Problems;

  private constructor(expressions: Expressions | undefined, config: Config, problems: Problems) {
    this.#expressions = expressions;
    this.#texts = whenTexts(config);
    this.#later = laterExpressions(config);
    this.#problems = problems;
  }

  /** The expression language is loaded only for a config that has expressions. */
  static async load(config: Config, problems: Problems): Promise<WhenRules> {
    if (whenTexts(config).size === 0 && laterExpressions(config).length === 0)
      return new WhenRules(undefined, config, problems);
    const { loadExpressions } = await import('../source/expression.js');
    const rules = new WhenRules(await loadExpressions(), config, problems);
    rules.#checkLater();
    return rules;
  }

  /** Why a task is left out; undefined when it is not. An expression that cannot be worked out is a problem, not a no. */
  skip(stage: string, names: ExpressionNames): Reason | undefined {
    const text = this.#texts.get(stage);
    if (text === undefined || !this.#expressions) return undefined;
    const answer = this.#expressions.evaluate(text, names);
    if (answer.ok) return answer.value ? undefined : { code: 'when-false', detail: text };
    for (const problem of answer.error) this.#problems.inText(pointerOf('stages', stage, 'when'), problem);
    return undefined;
  }

  /** Names that expressions use, for the unused-variable check. */
  names(): string[] {
    return [...this.#texts.values(), ...this.#later.map(({ text }) => text)].flatMap((text) => {
      const use = this.#expressions?.check(text);
      return use?.ok ? [...use.value.names] : mentionedVars(text);
    });
  }

  #checkLater(): void {
    for (const { path, text } of this.#later) {
      const use = this.#expressions!.check(text);
      if (!use.ok) for (const problem of use.error) this.#problems.inText(pointerOf(...path), problem);
    }
  }
}

function whenTexts({ stages }: Config): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, { when }] of Object.entries(stages)) if (when !== undefined) texts.set(name, when);
  return texts;
}

interface LaterExpression {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** The checks of gates, and what ends an iteration. */
function laterExpressions({ stages, iterate }: Config): readonly LaterExpression[] {
  const found: LaterExpression[] = [];
  for (const [name, { gate }] of Object.entries(stages)) {
    if (typeof gate !== 'object' || gate.kind !== 'auto') continue;
    found.push(...gate.checks.map((text, index) => ({ path: ['stages', name, 'gate', 'checks', index], text })));
  }
  if (iterate?.until !== undefined) found.push({ path: ['iterate', 'until'], text: iterate.until });
  return found;
}
