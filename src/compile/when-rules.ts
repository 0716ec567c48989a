import type { Config } from '../model/generated/config.js';
import type { Reason } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { Expressions } from '../source/expression.js';
import type { ExpressionNames } from '../source/expression-names.js';
import type { Problems } from './problems.js';

/** The `when` of every stage that has one. */
export class WhenRules {
  readonly #expressions: Expressions | undefined;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #problems: Problems;

  private constructor(expressions: Expressions | undefined, texts: ReadonlyMap<string, string>, problems: Problems) {
    this.#expressions = expressions;
    this.#texts = texts;
    this.#problems = problems;
  }

  /** The expression language is loaded only for a config that has expressions. */
  static async load(config: Config, problems: Problems): Promise<WhenRules> {
    const texts = new Map<string, string>();
    for (const [name, { when }] of Object.entries(config.stages)) if (when !== undefined) texts.set(name, when);
    if (texts.size === 0) return new WhenRules(undefined, texts, problems);
    const { loadExpressions } = await import('../source/expression.js');
    return new WhenRules(await loadExpressions(), texts, problems);
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
    return [...this.#texts.values()].flatMap((text) => {
      const use = this.#expressions?.check(text);
      return use?.ok ? [...use.value.names] : [];
    });
  }
}
