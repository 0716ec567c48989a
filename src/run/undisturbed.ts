/** Work that must be alone waits for the rest and keeps it waiting; all other work goes side by side. */
export class Undisturbed {
  #alone: Promise<unknown> = Promise.resolve();
  #beside: Promise<unknown> = Promise.resolve();

  run<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    const before = alone ? Promise.all([this.#alone, this.#beside]) : this.#alone;
    const done = before.then(work);
    const over = done.then(
      () => undefined,
      () => undefined,
    );
    if (alone) this.#alone = over;
    else this.#beside = Promise.all([this.#beside, over]);
    return done;
  }
}
