import type { Failure } from '../model/failure.js';
import type { Unkept } from '../model/isolation.js';
import type { AttemptFolder } from '../model/ports.js';

/**
 * What an attempt in a worktree runs after somebody has written there sees what its branch will have, and nothing else: whoever passes with the help
 * of files that git ignores would break the branch that it is merged into.
 */
export class BareChecks {
  readonly #unkept: Unkept | undefined;
  readonly #folder: AttemptFolder;
  #without: readonly string[] = [];

  constructor(unkept: Unkept | undefined, folder: AttemptFolder) {
    this.#unkept = unkept;
    this.#folder = folder;
  }

  /** Whoever writes has all that was there before. */
  async afterWriting<End extends { readonly ok: boolean }>(write: () => Promise<End>): Promise<End> {
    if (!this.#unkept) return write();
    await this.#unkept.putBack();
    const end = await write();
    await this.begin();
    return end.ok && this.#without.length > 0 ? { ...end, unkept: this.#without } : end;
  }

  async begin(): Promise<void> {
    if (!this.#unkept) return;
    this.#without = await this.#unkept.takeAway();
    if (this.#without.length > 0)
      this.#folder.log(`checked without what no commit would keep: ${this.#without.join(', ')}`);
  }

  async end(): Promise<void> {
    await this.#unkept?.putBack();
  }

  /** What failed may have failed of that. */
  told(failure: Failure): Failure {
    if (this.#without.length === 0) return failure;
    return failure.code === 'command-failed' || failure.code === 'behaviour-failed'
      ? { ...failure, without: this.#without }
      : failure;
  }
}
