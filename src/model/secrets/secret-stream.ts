import { headLength, type SecretFinder } from './secret-finder.js';

/**
 * Takes the values of secrets out of a text that comes in pieces. Only what may be the front of a value is held back until
 * more has come, so whoever follows the text waits for nothing else.
 */
export class SecretStream {
  readonly #finder: SecretFinder;
  #held = '';

  constructor(finder: SecretFinder) {
    this.#finder = finder;
  }

  take(piece: string): string {
    const text = this.#held + piece;
    const { done, rest } = this.#finder.replaceUpTo(text, this.#finder.unsureFrom(text));
    this.#held = rest;
    return done;
  }

  /** The text is over. The front of a value that was cut off gives away enough of it to be hidden too. */
  end(): string {
    const { done } = this.#finder.replaceUpTo(this.#held, this.#held.length);
    const mark = this.#held.length < headLength ? undefined : this.#finder.markOfFront(this.#held);
    this.#held = '';
    return mark ?? done;
  }
}
