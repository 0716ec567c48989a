/** A task of a graph that is to be crashed. `needs` are edges that the config states, `reads` those through a file. */
export interface Sketch {
  readonly name: string;
  readonly kind: 'pass' | 'once' | 'never' | 'hold';
  readonly needs?: readonly string[];
  readonly reads?: readonly string[];
  /** Tries for each class of error. */
  readonly attempts?: number;
  /** Without one, whatever depends on the task is stale whenever it ran. */
  readonly output?: false;
}

export const stagesOf = (sketches: readonly Sketch[]): object =>
  Object.fromEntries(
    sketches.map(({ name, kind, needs = [], reads = [], attempts, output }) => [
      name,
      {
        uses: 'command',
        with: { run: ['sh', 'task.sh', name, kind, ...reads.map((read) => `${read}.txt`)] },
        ...(needs.length > 0 ? { needs } : {}),
        ...(reads.length > 0 ? { inputs: reads.map((read) => `${read}.txt`) } : {}),
        ...(output === false ? {} : { outputs: [`${name}.txt`] }),
        ...(attempts === undefined ? {} : { retry: { attempts } }),
      },
    ]),
  );

/** What an unbroken run leaves behind, worked out by hand and not by the program that is tested. */
export interface Expected {
  readonly code: number;
  readonly outcome: string;
  readonly statuses: Record<string, string>;
  readonly outputs: Record<string, string>;
  readonly ran: Record<string, number>;
}

/** Sketches stand in the order of their needs. */
export function expectedOf(sketches: readonly Sketch[]): Expected {
  const statuses: Record<string, string> = {};
  const outputs: Record<string, string> = {};
  const ran: Record<string, number> = {};
  for (const { name, kind, needs = [], reads = [], attempts = 1 } of sketches) {
    if ([...needs, ...reads].some((need) => statuses[need] !== 'passed')) {
      statuses[name] = 'skipped';
      continue;
    }
    const passes = kind === 'pass' || kind === 'hold' || (kind === 'once' && attempts > 1);
    statuses[name] = passes ? 'passed' : 'failed';
    ran[name] = kind === 'pass' || kind === 'hold' ? 1 : kind === 'once' ? Math.min(2, attempts) : attempts;
    if (passes)
      outputs[`${name}.txt`] = [`made by ${name}\n`, ...reads.map((read) => outputs[`${read}.txt`]!)].join('');
  }
  const failed = Object.values(statuses).includes('failed');
  return {
    code: failed ? 1 : 0,
    outcome: failed ? 'failed' : 'passed',
    statuses: Object.fromEntries(Object.entries(statuses).sort()),
    outputs: Object.fromEntries(Object.entries(outputs).sort()),
    ran,
  };
}
