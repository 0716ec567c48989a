/**
 * V8 makes what runs often faster, and clears memory, in threads of its own. In a program that is over in seconds that costs more than it
 * brings: a sixth of all processor time, taken from the commands that it runs. So while `work` goes on it waits longer before it optimises;
 * with `many` tasks it clears more at once and clears alone, too.
 */
export async function unhurried<T>(kind: keyof typeof settings, work: () => Promise<T>): Promise<T> {
  if (!process.versions.v8.startsWith(measuredV8)) return work();
  const { setFlagsFromString } = await import('node:v8');
  const engine = theEngine();
  engine.set ??= setFlagsFromString;
  const added = settings[kind];
  engine.now.push(...added);
  for (const { unhurried } of added) engine.set(unhurried);
  return work().finally(() => {
    for (const { usual } of added) engine.set!(usual);
    engine.now.splice(engine.now.indexOf(added[0]!), added.length);
  });
}

/**
 * What was kept of earlier compiling (`code-cache`), of ours and of Node's own modules, is only taken with the settings that it was made with. Loading
 * is therefore done as usual, whatever goes on around it.
 */
export function loadAsUsual<T>(load: () => T): T {
  const { set, now } = theEngine();
  if (!set || now.length === 0) return load();
  const flags = now.splice(0);
  for (const { usual } of flags) set(usual);
  try {
    return load();
  } finally {
    for (const { unhurried } of flags) set(unhurried);
    now.push(...flags);
  }
}

interface Setting {
  readonly unhurried: string;
  /** What V8 has of its own accord. */
  readonly usual: string;
}

const settings = {
  exec: [{ unhurried: '--interrupt-budget=1081344', usual: '--interrupt-budget=67584' }],
  many: [
    { unhurried: '--no-parallel-scavenge', usual: '--parallel-scavenge' },
    { unhurried: '--semi-space-growth-factor=4', usual: '--semi-space-growth-factor=2' },
  ],
} satisfies Record<string, readonly Setting[]>;

/** That of Node 20. Later ones call these settings otherwise, complain about names that they do not know, and were not measured. */
const measuredV8 = '11.';

interface Engine {
  set?: (flag: string) => void;
  /** What is set at the moment. */
  readonly now: Setting[];
}

/** There is one engine, and several copies of this module: one for each part of the program that it is bundled into. */
function theEngine(): Engine {
  const place = globalThis as { [key: symbol]: Engine | undefined };
  place[key] ??= { now: [] };
  return place[key];
}

const key = Symbol.for('autoresearch.engine');
