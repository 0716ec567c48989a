import type { Diagnostic } from '../model/diagnostic.js';
import type { Pointer } from '../model/pointer.js';
import type { TextProblem } from '../model/text-problem.js';

/** Gathers what is wrong, each thing once: the tasks of a matrix share their stage's words and so its mistakes. */
export class Problems {
  readonly #list: Diagnostic[] = [];
  readonly #pending: Promise<void>[] = [];
  #seen = new Set<string>();

  add(diagnostic: Diagnostic): void {
    const key = JSON.stringify([diagnostic.code, diagnostic.at, diagnostic.message]);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#list.push(diagnostic);
  }

  /** For problems that take a moment to put into words. */
  await(work: Promise<void>): void {
    this.#pending.push(work);
  }

  /** Takes only problems of these kinds, and hands them on to here. */
  only(codes: ReadonlySet<string>): Problems {
    const some = new Problems();
    some.add = (diagnostic) => {
      if (codes.has(diagnostic.code)) this.add(diagnostic);
    };
    some.await = (work) => this.await(work);
    return some;
  }

  /** All of them, once everything has been said. */
  async all(): Promise<readonly Diagnostic[]> {
    await Promise.all(this.#pending);
    return this.#list;
  }

  /** A problem inside the string that stands at `pointer`. */
  inText(pointer: Pointer, problem: TextProblem): void {
    const { within, ...rest } = problem;
    this.add({ ...rest, at: { kind: 'config', pointer, ...(within ? { within } : {}) } });
  }
}
