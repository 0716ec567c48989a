import fc from 'fast-check';
import { describe, it } from 'vitest';
import { anySketches } from './any-sketches.js';
import { type CrashEnd, CrashRoom } from './crash-room.js';
import { type AtCrash, atCrash, expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

/** At a record of the journal, or by a task after it has written its output. */
type Kill =
  | { readonly kind: 'record'; readonly at: number; readonly how: 'before' | 'torn' | 'after' }
  | { readonly kind: 'task'; readonly index: number };

const kill: fc.Arbitrary<Kill> = fc.oneof(
  fc.record({
    kind: fc.constant('record' as const),
    at: fc.nat(14),
    how: fc.constantFrom('before' as const, 'torn' as const, 'after' as const),
  }),
  fc.record({ kind: fc.constant('task' as const), index: fc.nat(7) }),
);

const seed = Number(process.env.CRASH_SEED ?? 20_260_101);

describe.concurrent('random graphs, killed at random', () => {
  it.each([seed, seed + 1])('end as if nothing had happened (CRASH_SEED=%i)', { timeout: 120_000 }, async (one) => {
    const property = fc.asyncProperty(
      anySketches,
      fc.array(kill, { minLength: 1, maxLength: 3 }),
      async (graph, kills) => {
        const room = new CrashRoom(stagesOf(graph));
        const crashes: AtCrash[] = [];
        let end: CrashEnd | undefined;
        for (const next of kills) {
          end = await crash(room, graph, next);
          if (end.signal !== 'SIGKILL') break;
          crashes.push(atCrash(room));
          end = undefined;
        }
        await expectSameEnd(room, end ?? (await room.exec()), { expected: expectedOf(graph), crashes });
      },
    );
    await fc.assert(property, { seed: one, numRuns: 16, endOnFailure: true });
  });
});

function crash(room: CrashRoom, graph: readonly Sketch[], kill: Kill): Promise<CrashEnd> {
  if (kill.kind === 'record') {
    return room.exec({ preload: 'kill-at', env: { CRASH_AT: String(kill.at), CRASH_HOW: kill.how } });
  }
  room.flag(`kill-${graph[kill.index % graph.length]!.name}`);
  return room.exec({ preload: 'kill-at' });
}
