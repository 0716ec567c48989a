import { knownErrorClasses } from '../../model/errors/known-error-class.js';
import type { Config, Retry } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { hasTemplate } from '../../source/template/template-node.js';
import type { Problems } from '../problems.js';

/** What a schema cannot say about `retry`: numbers that contradict each other, expressions, names of ours. */
export function checkRetries(config: Config, problems: Problems): void {
  for (const name of Object.keys(config.stages)) {
    const { retry } = config.stages[name]!;
    if (retry) new RetryRules(retry, ['stages', name, 'retry'], problems).check();
  }
}

class RetryRules {
  readonly #retry: Retry;
  readonly #at: readonly string[];
  readonly #problems: Problems;

  constructor(retry: Retry, at: readonly string[], problems: Problems) {
    this.#retry = retry;
    this.#at = at;
    this.#problems = problems;
  }

  check(): void {
    if (this.#retry.attempts === 1) this.#checkOnce();
    else this.#checkTotal();
    for (const [name, pattern] of Object.entries(this.#retry.classes ?? {})) {
      this.#checkName(name);
      this.#checkPattern(name, pattern);
    }
  }

  #checkOnce(): void {
    for (const key of ['backoff', 'classes', 'fix', 'total'] as const) {
      if (this.#retry[key] === undefined) continue;
      this.#problems.add({
        code: 'AR209',
        message: `${key} has no effect where there is only one attempt`,
        at: { kind: 'config', pointer: pointerOf(...this.#at, key), key: true },
        hint: 'Take it out, or allow more than one attempt',
      });
    }
  }

  #checkTotal(): void {
    const { attempts, total } = this.#retry;
    if (total === undefined || total >= attempts) return;
    this.#problems.add({
      code: 'AR204',
      message: `total is ${total}, which is less than the ${attempts} attempts of a single kind of error`,
      at: { kind: 'config', pointer: pointerOf(...this.#at, 'total') },
      hint: `Write at least ${attempts}, or fewer attempts`,
    });
  }

  #checkName(name: string): void {
    if (!(knownErrorClasses as readonly string[]).includes(name)) return;
    this.#problems.add({
      code: 'AR210',
      message: `"${name}" is a class of errors already`,
      at: { kind: 'config', pointer: pointerOf(...this.#at, 'classes', name), key: true },
      hint: `Choose another name, such as "my-${name}"`,
    });
  }

  #checkPattern(name: string, pattern: string): void {
    const at = { kind: 'config', pointer: pointerOf(...this.#at, 'classes', name) } as const;
    if (hasTemplate(pattern)) {
      const message = 'a regular expression cannot hold a template';
      this.#problems.add({ code: 'AR407', message, at, hint: 'Write the expression itself' });
      return;
    }
    const problem = whatIsWrong(pattern);
    if (problem) this.#problems.add({ code: 'AR208', at, ...problem });
  }
}

function whatIsWrong(pattern: string): { readonly message: string; readonly hint: string } | undefined {
  try {
    if (!new RegExp(pattern, 'm').test('')) return undefined;
    return {
      message: 'this expression fits an empty text, and so every error there is',
      hint: 'Name something that stands in the message',
    };
  } catch (error) {
    // The engine repeats the whole expression before it says what is wrong with it.
    const said = (error as Error).message.replace(`Invalid regular expression: /${pattern}/m: `, '');
    return {
      message: `this is not a regular expression: ${said}`,
      hint: 'Put \\ before a character that is meant as it is',
    };
  }
}
