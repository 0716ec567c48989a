import type { Stage } from '../../model/generated/config.js';
import { isJsonObject, type JsonObject } from '../../model/json.js';
import type { LoadedBehaviour, OptionIssue } from '../../model/loaded-behaviour.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';
import { hasTemplates, type TemplateFields } from './template-fields.js';

export interface FilledOptions {
  readonly value: JsonObject;
  /** Whether they fit their schema; a behaviour is never asked to describe others. */
  readonly fit: boolean;
}

/** The options of a stage. Where they hold no template all tasks share one object, and it is checked once. */
export class StageOptions {
  readonly #name: string;
  readonly #written: JsonObject;
  readonly #loaded: LoadedBehaviour | undefined;
  readonly #problems: Problems;
  readonly #varies: boolean;
  #shared: FilledOptions | undefined;

  constructor(
    name: string,
    stage: Stage,
    { loaded, problems }: { loaded: LoadedBehaviour | undefined; problems: Problems },
  ) {
    this.#name = name;
    this.#written = sortedKeys((stage.with ?? {}) as JsonObject);
    this.#loaded = loaded;
    this.#problems = problems;
    this.#varies = hasTemplates(this.#written);
  }

  fill(fields: TemplateFields): FilledOptions {
    if (!this.#varies) {
      this.#shared ??= { value: this.#written, fit: this.#check(this.#written) };
      return this.#shared;
    }
    const before = fields.failures;
    const value = fields.options(this.#written, ['stages', this.#name, 'with'], this.#loaded?.behaviour.options ?? {});
    if (fields.failures === before) return { value, fit: this.#check(value) };
    this.#checkKeys(value);
    return { value, fit: false };
  }

  /** A text that could not be filled in has been complained about; that it does not fit either is no news, but its keys are. */
  #checkKeys(value: JsonObject): void {
    const report = (issues: readonly OptionIssue[]): boolean => this.#report(issues.filter(({ key }) => key));
    const found = this.#loaded?.validate(value) ?? [];
    if (found instanceof Promise) this.#problems.await(found.then((issues) => void report(issues)));
    else report(found);
  }

  /** Options that fit are never waited for; what is wrong with others may take a moment to say. */
  #check(value: JsonObject): boolean {
    const found = this.#loaded?.validate(value) ?? [];
    if (!(found instanceof Promise)) return this.#report(found);
    this.#problems.await(
      found.then((issues) => {
        if (this.#report(issues))
          throw new Error(`the options of ${this.#name} fit, but this was said too late to describe them`);
      }),
    );
    return false;
  }

  #report(issues: readonly OptionIssue[]): boolean {
    for (const { pointer, key, ...issue } of issues) {
      const place = pointerOf('stages', this.#name, 'with') + pointer;
      this.#problems.add({ ...issue, at: { kind: 'config', pointer: place, ...(key ? { key } : {}) } });
    }
    return issues.length === 0;
  }
}

/** Keys in one order, so that the order in which they were written says nothing. */
export function sortedKeys<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sortedKeys) as T;
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length < 2 && keys.every((key) => typeof value[key] !== 'object')) return value;
  return Object.fromEntries(keys.sort().map((key) => [key, sortedKeys(value[key])])) as T;
}
