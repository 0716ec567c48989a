/** How many tasks may be at work at once. A task that only waits gives its place to another and queues for one afterwards. */
export class Slots {
  #free: number;
  #resting = 0;
  readonly #queue: (() => void)[] = [];
  readonly #total: number;
  readonly #onFree: () => void;
  readonly #seen: (() => void)[] = [];

  /** `onFree` is told whenever a place has become free for a new task. */
  constructor(total: number, onFree: () => void) {
    this.#total = total;
    this.#free = total;
    this.#onFree = onFree;
  }

  get hasFree(): boolean {
    return this.#free > 0;
  }

  /** Tasks at work. */
  get busy(): number {
    return this.#total - this.#free;
  }

  /** Tasks that wait and have given their places away. */
  get resting(): number {
    return this.#resting;
  }

  /** Neither at work nor waiting to go on. */
  get isQuiet(): boolean {
    return this.busy === 0 && this.#resting === 0;
  }

  /** Is told after each time that a place became free, when whoever could take it has taken it. */
  afterwards(look: () => void): void {
    this.#seen.push(look);
  }

  take(): void {
    if (this.#free === 0) throw new Error('there is no free slot');
    this.#free -= 1;
  }

  give(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#free += 1;
    this.#onFree();
    for (const look of this.#seen) look();
  }

  async rest<T>(wait: Promise<T>): Promise<T> {
    this.#resting += 1;
    this.give();
    const result = await wait;
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#resting -= 1;
    return result;
  }
}
