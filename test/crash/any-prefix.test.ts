import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/journal/apply.js';
import type { Plan } from '../../src/model/plan.js';
import type { RunState, TaskState } from '../../src/model/state/run-state.js';
import { StopSwitch } from '../../src/run/stop-switch.js';
import { planOf, RunRig, settle } from '../support/run-rig.js';
import { anySketches } from './any-sketches.js';
import { type Expected, expectedOf, type Sketch } from './sketch.js';

const failed = { ok: false, failure: { code: 'command-failed', exitCode: 3 } } as const;

const planFor = (sketches: readonly Sketch[]): Plan =>
  planOf(
    sketches.map(({ name, needs = [], reads = [], attempts = 1 }) => ({
      id: name,
      needs: [...new Set([...needs, ...reads])],
      inputs: reads.map((read) => `${read}.txt`),
      outputs: [`${name}.txt`],
      retry: { attempts },
    })),
  );

/** A run over fakes that can be stopped at any record: the files stay, the process is gone. */
class World {
  readonly rig = new RunRig();
  readonly #plan: Plan;

  constructor(sketches: readonly Sketch[]) {
    this.#plan = planFor(sketches);
    const byName = new Map(sketches.map((sketch) => [sketch.name, sketch]));
    const begun = new Set<string>();
    this.rig.work = async ({ task }) => {
      const { kind, reads = [] } = byName.get(task)!;
      const first = !begun.has(task);
      begun.add(task);
      if (kind === 'never' || (kind === 'once' && first)) return failed;
      const made = reads.map((read) => this.#contents.get(`${read}.txt`)!);
      this.#write(`${task}.txt`, [`made by ${task}\n`, ...made].join(''));
      return { ok: true };
    };
  }

  readonly #contents = new Map<string, string>();

  #write(path: string, content: string): void {
    this.#contents.set(path, content);
    this.rig.files.write(path, content);
  }

  get outputs(): Record<string, string> {
    return Object.fromEntries([...this.#contents].sort());
  }

  /** Answers with what ran. */
  async goOn(): Promise<{ outcome: string; ran: Record<string, number>; state: RunState }> {
    const before = this.rig.started.length;
    // Another process has another switch.
    (this.rig as { stop: StopSwitch }).stop = new StopSwitch();
    let outcome: string | undefined;
    const running = this.rig.run(this.#plan).then((end) => {
      outcome = end;
    });
    while (outcome === undefined) {
      await Promise.race([running, settle()]);
      this.rig.clock.advance(60_000);
    }
    const ran: Record<string, number> = {};
    for (const name of this.rig.started.slice(before)) ran[name] = (ran[name] ?? 0) + 1;
    return { outcome, ran, state: replay(this.rig.entries)! };
  }

  /** What the journal says once everything after `length` is lost. */
  cut(length: number): RunState | undefined {
    this.rig.entries = this.rig.entries.slice(0, length);
    return replay(this.rig.entries);
  }
}

const statusesOf = (state: RunState): Record<string, string> =>
  Object.fromEntries(
    [...state.tasks.values()].map(({ id, status }) => [id, status === 'cached' ? 'passed' : status]).sort(),
  );

const failuresOf = (task: TaskState | undefined): number =>
  Object.values(task?.failures ?? {}).reduce((sum, count) => sum + count, 0);

interface Resumed {
  readonly sketches: readonly Sketch[];
  readonly expected: Expected;
  /** As the journal stood when the run stopped, for the first time and for the second. */
  readonly cuts: readonly RunState[];
  readonly world: World;
  readonly end: Awaited<ReturnType<World['goOn']>>;
}

/** Every prefix of the journal of every graph that comes along, each of them cut and resumed once more. */
async function forEveryPrefix(numRuns: number, check: (resumed: Resumed) => void): Promise<void> {
  const property = fc.asyncProperty(anySketches, fc.nat(), async (sketches, second) => {
    const unbroken = new World(sketches);
    await unbroken.goOn();
    const { length } = unbroken.rig.entries;
    for (let at = 1; at < length; at += 1) {
      const world = new World(sketches);
      await world.goOn();
      const cuts = [world.cut(at)!];
      check({ sketches, expected: expectedOf(sketches), cuts: snapshots(cuts), world, end: await world.goOn() });
      // The record of the end is not among what is cut: after it, another run would begin.
      const more = world.rig.entries.length - at - 1;
      cuts.push(world.cut(at + (second % Math.max(1, more)))!);
      check({ sketches, expected: expectedOf(sketches), cuts: snapshots(cuts), world, end: await world.goOn() });
    }
  });
  await fc.assert(property, { seed: 20_260_101, numRuns, endOnFailure: true });
}

const snapshots = (states: readonly RunState[]): RunState[] => states.map((state) => structuredClone(state));

describe('a journal that ends anywhere', { timeout: 120_000 }, () => {
  it('goes on to the same end, and nothing that had finished runs again', async () => {
    await forEveryPrefix(60, ({ expected, cuts, world, end }) => {
      expect({ outcome: end.outcome, statuses: statusesOf(end.state), outputs: world.outputs }).toEqual({
        outcome: expected.outcome,
        statuses: expected.statuses,
        outputs: expected.outputs,
      });
      const again = [...cuts.at(-1)!.tasks.values()].filter(({ id, status }) => status === 'passed' && end.ran[id]);
      expect(again.map(({ id }) => id)).toEqual([]);
    });
  });

  it('leaves each task the tries that an unbroken run would have', async () => {
    await forEveryPrefix(60, ({ sketches, expected, cuts, end }) => {
      const last = cuts.at(-1)!;
      for (const { name, kind, attempts = 1 } of sketches) {
        if (expected.statuses[name] === 'skipped') continue;
        const then = last.tasks.get(name);
        // Tries that failed for good are not taken back, and a task that goes on all the same gets one more.
        const spent = cuts.filter((cut) => cut.tasks.get(name)?.status === 'failed').length;
        const counted = failuresOf(end.state.tasks.get(name));
        if (kind === 'never') expect(counted, `${name} after ${then?.status}`).toBeLessThanOrEqual(attempts + spent);
        if (kind === 'never') expect(counted).toBeGreaterThanOrEqual(attempts);
        if (kind === 'once') expect(counted).toBeLessThanOrEqual(1);
        if (kind === 'pass') expect(counted).toBe(0);
        const left = Math.max(1, (kind === 'pass' ? 1 : attempts) - failuresOf(then));
        expect(end.ran[name] ?? 0, `${name} after ${then?.status}`).toBeLessThanOrEqual(left);
      }
    });
  });
});
