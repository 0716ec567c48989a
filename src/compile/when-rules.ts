import type { Config } from '../model/generated/config.js';
import type { Reason } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import { type Expression, type ExpressionNames, parseExpression } from '../source/expression.js';
import type { Problems } from './problems.js';

/** The `when` of every stage that has one, parsed once. */
export class WhenRules {
  readonly #rules: ReadonlyMap<string, Expression>;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #problems: Problems;

  private constructor(rules: ReadonlyMap<string, Expression>, texts: ReadonlyMap<string, string>, problems: Problems) {
    this.#rules = rules;
    this.#texts = texts;
    this.#problems = problems;
  }

  static async load(config: Config, problems: Problems): Promise<WhenRules> {
    const rules = new Map<string, Expression>();
    const texts = new Map<string, string>();
    for (const [name, { when }] of Object.entries(config.stages)) {
      if (when === undefined) continue;
      const parsed = await parseExpression(when, ['vars', 'matrix', 'name']);
      if (!parsed.ok) problems.inText(pointerOf('stages', name, 'when'), parsed.error);
      else rules.set(name, parsed.value);
      texts.set(name, when);
    }
    return new WhenRules(rules, texts, problems);
  }

  /** Why a task is left out; undefined when it is not. An expression that cannot be worked out is a problem, not a no. */
  skip(stage: string, names: ExpressionNames): Reason | undefined {
    const rule = this.#rules.get(stage);
    if (!rule) return undefined;
    const answer = rule.evaluate(names);
    if (!answer.ok) this.#problems.inText(pointerOf('stages', stage, 'when'), answer.error);
    return answer.ok && !answer.value ? { code: 'when-false', detail: this.#texts.get(stage)! } : undefined;
  }

  /** Names that expressions use, for the unused-variable check. */
  names(): string[] {
    return [...this.#rules.values()].flatMap((rule) => [...rule.names]);
  }
}
