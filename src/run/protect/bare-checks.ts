import type { CheckedBare, Failure } from '../../model/failure.js';
import type { Unkept } from '../../model/files/isolation.js';
import type { AttemptFolder } from '../../model/ports.js';

/**
 * What an attempt in a worktree runs after somebody has written there sees what its branch will have, and nothing else: whoever passes with the help
 * of files that git ignores, or of line ends that it does not keep, would break the branch that it is merged into.
 */
export class BareChecks {
  readonly #unkept: Unkept | undefined;
  readonly #folder: AttemptFolder;
  #without: readonly string[] = [];
  #rounds = 0;
  readonly #otherwise = new Set<string>();

  /** `ready`: what was made bare before the attempt began. */
  constructor(unkept: Unkept | undefined, folder: AttemptFolder, ready?: Required<CheckedBare>) {
    this.#unkept = unkept;
    this.#folder = folder;
    if (!ready) return;
    this.#without = ready.without;
    for (const file of ready.otherwise) this.#otherwise.add(file);
    this.#log(ready, asWritten);
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
    this.#rounds += 1;
    const place = this.#rounds === 1 ? asWritten : `${asWritten}-${this.#rounds}`;
    const { without, otherwise } = await this.#unkept.takeAway(`${this.#folder.dir}/${place}`);
    this.#without = without;
    for (const file of otherwise) this.#otherwise.add(file);
    this.#log({ without, otherwise }, place);
  }

  #log({ without, otherwise }: Required<CheckedBare>, place: string): void {
    if (without.length > 0) this.#folder.log(`checked without what no commit would keep: ${without.join(', ')}`);
    if (otherwise.length > 0) this.#folder.log(`${otherwiseWords(otherwise)} what was written is in ${place}`);
  }

  async end(): Promise<void> {
    await this.#unkept?.putBack();
  }

  /** In one line each. */
  get warnings(): readonly string[] {
    if (this.#otherwise.size === 0) return [];
    return [`${otherwiseWords([...this.#otherwise])} what was written is in ${asWritten} beside its log`];
  }

  /** What failed may have failed of that. */
  told(failure: Failure): Failure {
    if (failure.code !== 'command-failed' && failure.code !== 'behaviour-failed') return failure;
    return {
      ...failure,
      ...(this.#without.length > 0 ? { without: this.#without } : {}),
      ...(this.#otherwise.size > 0 ? { otherwise: [...this.#otherwise] } : {}),
    };
  }
}

/** In the folder of the attempt. */
export const asWritten = 'as-written';

/** A sentence, up to where what was written is to be found. */
export const otherwiseWords = (files: readonly string[]): string =>
  `git keeps ${files.join(', ')} otherwise than written (line ends, $Id$, encoding or mode), so what was checked is what a checkout gives;`;
