import type { Config } from '../../model/generated/config.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import type { Reason } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import type { Expressions } from '../../source/expression/expression.js';
import type { ExpressionNames } from '../../source/expression/expression-names.js';
import { hasBaseline } from '../iterate/iteration-names.js';
import type { Problems } from '../problems.js';
import { optionExpressions } from '../task/option-expressions.js';
import { mentionedVars } from './unused-vars.js';

/** The `when` of every stage that has one, and the expressions that wait for results: those can only be looked at. */
export class WhenRules {
  readonly #expressions: Expressions | undefined;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #later: readonly LaterExpression[];
  readonly #options: readonly string[];
  readonly #problems: Problems;

  private constructor(expressions: Expressions | undefined, found: Found, problems: Problems) {
    this.#expressions = expressions;
    this.#texts = found.texts;
    this.#later = found.later;
    this.#options = found.options;
    this.#problems = problems;
  }

  /** The expression language is loaded only for a config that has expressions. */
  static async load(
    config: Config,
    behaviours: ReadonlyMap<string, LoadedBehaviour>,
    problems: Problems,
  ): Promise<WhenRules> {
    const found = { ...expressionsIn(config), options: optionExpressions(config, behaviours) };
    if (found.texts.size === 0 && found.later.length === 0 && found.options.length === 0)
      return new WhenRules(undefined, found, problems);
    const { loadExpressions } = await import('../../source/expression/expression.js');
    const rules = new WhenRules(await loadExpressions(), found, problems);
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
    return [...this.#texts.values(), ...this.#later.map(({ text }) => text), ...this.#options].flatMap((text) => {
      const use = this.#expressions?.check(text);
      return use?.ok ? [...use.value.names] : mentionedVars(text);
    });
  }

  #checkLater(): void {
    for (const { path, text, names } of this.#later) {
      const use = this.#expressions!.check(text, names);
      if (!use.ok) for (const problem of use.error) this.#problems.inText(pointerOf(...path), problem);
    }
  }
}

interface LaterExpression {
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** What it may speak of, where that is known. */
  readonly names?: ExpressionNames;
}

interface Found {
  /** By stage. */
  readonly texts: ReadonlyMap<string, string>;
  /** The checks of gates, and what ends an iteration. */
  readonly later: readonly LaterExpression[];
  /** Those in the options of behaviours, which only they can work out. */
  readonly options: readonly string[];
}

function expressionsIn({ stages, iterate, vars = {}, name: study }: Config): Omit<Found, 'options'> {
  const texts = new Map<string, string>();
  const later: LaterExpression[] = [];
  for (const [name, { when, gate }] of stageList({ stages })) {
    if (when !== undefined) texts.set(name, when);
    if (typeof gate !== 'object' || gate.kind !== 'auto') continue;
    // What lies below these is known when the task has run.
    const below = { metrics: undefined, outputs: undefined, tests: undefined, params: undefined, matrix: undefined };
    const names = { vars, name: study, ...below };
    for (const [index, text] of gate.checks.entries())
      if (typeof text === 'string') later.push({ path: ['stages', name, 'gate', 'checks', index], text, names });
  }
  if (iterate?.until !== undefined) {
    const known = { metric: undefined, best: undefined, metrics: undefined, iteration: undefined };
    const names = { vars, name: study, ...known, ...(hasBaseline(iterate) ? { baseline: undefined } : {}) };
    later.push({ path: ['iterate', 'until'], text: iterate.until, names });
  }
  return { texts, later };
}
