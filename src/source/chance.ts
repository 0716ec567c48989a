/**
 * Watches what makes a program give something else each time: the clock and chance. While it watches, the global functions
 * for them note that they were asked; with `shiftMs` the clock goes wrong by that much.
 */
export class ChanceWatch {
  isAsked = false;
  readonly #undo: (() => void)[] = [];

  constructor(shiftMs = 0) {
    const date = Date;
    const now = (): number => {
      this.isAsked = true;
      return date.now() + shiftMs;
    };
    const clock = new Proxy(date, {
      construct: (target, args: unknown[], made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
      apply: () => new date(now()).toString(),
      get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
    });
    this.#replace(globalThis, 'Date', clock);
    this.#note(Math, ['random']);
    for (const name of ['crypto', 'performance']) this.#noteAccess(name);
    this.#note(process.getBuiltinModule('node:crypto'), ['randomUUID', 'randomBytes', 'randomInt']);
  }

  end(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }

  /** Node makes these when somebody first looks at them, which takes a moment, so nobody looks before the config does. */
  #noteAccess(name: string): void {
    const own = Object.getOwnPropertyDescriptor(globalThis, name);
    if (!own?.configurable) return;
    const get = (): unknown => {
      this.isAsked = true;
      return own.get ? own.get.call(globalThis) : own.value;
    };
    Object.defineProperty(globalThis, name, { get, configurable: true, enumerable: own.enumerable ?? true });
    this.#undo.push(() => Object.defineProperty(globalThis, name, own));
  }

  #note(owner: object, names: readonly string[]): void {
    for (const name of names) {
      const real = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
      this.#replace(owner, name, (...args: unknown[]) => {
        this.isAsked = true;
        return real.apply(owner, args);
      });
    }
  }

  #replace(owner: object, name: string, value: unknown): void {
    const own = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, {
      value,
      configurable: true,
      writable: true,
      enumerable: own?.enumerable ?? true,
    });
    this.#undo.push(() => (own ? Object.defineProperty(owner, name, own) : Reflect.deleteProperty(owner, name)));
  }
}

/** More than a year, and another weekday, hour, minute, second and millisecond. */
export const anotherTimeMs = ((400 * 24 + 3) * 60 + 7) * 60_000 + 11_013;
