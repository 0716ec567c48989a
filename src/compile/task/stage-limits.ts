import { parseDuration } from '../../model/duration.js';
import type { FixCommand, Retry, Stage } from '../../model/generated/config.js';
import type { JsonSchema } from '../../model/json-schema.js';
import { pointerOf } from '../../model/pointer.js';
import type { Problems } from '../problems.js';
import { sortedKeys } from './stage-options.js';
import { hasTemplates, type TemplateFields } from './template-fields.js';

/** How long and how often: the durations of a stage, checked again once their templates are filled in. */
export class StageLimits {
  readonly #fields: TemplateFields;
  readonly #problems: Problems;
  readonly #at: readonly string[];

  constructor(fields: TemplateFields, problems: Problems, at: readonly string[]) {
    this.#fields = fields;
    this.#problems = problems;
    this.#at = at;
  }

  duration(written: string, key: 'timeout' | 'idle'): number | undefined {
    const ms = this.#duration(written, [...this.#at, key]);
    if (ms !== 0) return ms;
    this.#complain('a limit of no time at all would end every attempt', [...this.#at, key]);
    return undefined;
  }

  retry({ retry }: Stage): Retry {
    if (retry === undefined) return once;
    const { backoff, fix } = retry;
    if (backoff === undefined && typeof fix !== 'object') return sortedKeys(retry);
    return sortedKeys({
      ...retry,
      ...(backoff === undefined ? {} : { backoff: this.#backoff(backoff) }),
      ...(typeof fix === 'object' ? { fix: this.#fix(fix) } : {}),
    });
  }

  #backoff(written: string): string {
    const at = [...this.#at, 'retry', 'backoff'];
    this.#duration(written, at);
    return this.#fields.text(written, at);
  }

  #fix({ run }: FixCommand): FixCommand {
    return { run: this.#fields.data(run, [...this.#at, 'retry', 'fix', 'run'], shellText) as string };
  }

  #duration(written: string, at: readonly string[]): number | undefined {
    const text = this.#fields.text(written, at);
    const ms = parseDuration(text);
    // A template that could not be filled in has been complained about.
    if (ms === undefined && !(text === written && hasTemplates(written)))
      this.#complain(`${at.at(-1)} must be a duration, but is "${text}"`, at);
    return ms;
  }

  #complain(message: string, at: readonly string[]): void {
    const hint = 'Write a whole number and a unit, such as 500ms, 30s, 5m, 2h or 1d';
    this.#problems.add({ code: 'AR206', message, at: { kind: 'config', pointer: pointerOf(...at) }, hint });
  }
}

const once: Retry = { attempts: 1 };
const shellText: JsonSchema = { type: 'string', format: 'shell' };
