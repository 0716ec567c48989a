/** Who keeps one session answers one question at a time; the others wait in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when it is our turn, with how to end it. */
  async take(name: string): Promise<() => void> {
    const before = this.#last.get(name);
    let done!: () => void;
    this.#last.set(name, new Promise((resolve) => (done = resolve)));
    await before;
    return done;
  }
}
