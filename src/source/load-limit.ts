import { Script } from 'node:vm';

/** How long a file that is evaluated may take: a config is data, and whoever waits for it must learn that it never ends. */
export const loadLimitMs = 30_000;

/** Thrown in place of what did not end. */
export class NeverEnded extends Error {
  constructor(
    readonly how: 'loops' | 'waits',
    readonly limitMs: number,
  ) {
    super(`it did not end within ${limitMs} ms`);
  }
}

/**
 * Calls `work` and ends it when it takes longer: what it does at once is ended by the engine, which no `catch` of the
 * file can keep from it. A script that is run has such a limit, a function has none; so the call is in a script.
 */
export function withinLimit<Value>(work: () => Value, limitMs: number): Value {
  const slots = globalThis as unknown as Record<symbol, (() => Value) | undefined>;
  const outer = slots[slot];
  slots[slot] = work;
  try {
    return caller.runInThisContext({ timeout: limitMs }) as Value;
  } catch (error) {
    throw (error as { code?: unknown })?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      ? new NeverEnded('loops', limitMs)
      : error;
  } finally {
    slots[slot] = outer;
  }
}

const slot = Symbol.for('autoresearch.evaluate');
const caller = new Script("globalThis[Symbol.for('autoresearch.evaluate')]()", { filename: 'autoresearch-evaluate' });

/** What it waits for is waited for no longer than this; nor at all, once nothing is left that could bring it. */
export async function waitedFor<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let give = (): void => {};
  const limit = new Promise<never>((_, reject) => {
    give = () => reject(new NeverEnded('waits', limitMs));
  });
  const timer = setTimeout(give, limitMs);
  timer.unref();
  process.once('beforeExit', give);
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
    process.off('beforeExit', give);
  }
}
