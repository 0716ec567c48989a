import { describe, expect, it } from 'vitest';
import { thinned } from '../support/thinned.js';
import { CrashRoom, forEachOf } from './crash-room.js';
import { atCrash, expectSameEnd } from './same-end.js';
import { expectedOf, type Sketch, stagesOf } from './sketch.js';

interface Graph {
  readonly sketches: readonly Sketch[];
  /** Where the config is not one stage for each task. */
  readonly stages?: object;
}

const chain: readonly Sketch[] = [
  { name: 'a', kind: 'pass' },
  { name: 'b', kind: 'pass', reads: ['a'] },
  { name: 'c', kind: 'pass', reads: ['b'], needs: ['a'] },
];

const graphs: Record<string, readonly Sketch[]> = {
  'a chain with inputs': chain,
  'a diamond with a retry': [
    { name: 'top', kind: 'pass' },
    { name: 'left', kind: 'once', attempts: 2, reads: ['top'] },
    { name: 'right', kind: 'pass', needs: ['top'] },
    { name: 'end', kind: 'pass', reads: ['left', 'right'] },
  ],
  'a failing task among others': [
    { name: 'a', kind: 'pass' },
    { name: 'bad', kind: 'never', attempts: 2, needs: ['a'] },
    { name: 'after', kind: 'pass', needs: ['bad'] },
    { name: 'other', kind: 'pass' },
  ],
};

/** Three side by side. */
const matrix: Graph = {
  sketches: [1, 2, 3].map((n) => ({ name: `wide:n=${n}`, kind: 'pass' })),
  stages: {
    wide: {
      uses: 'command',
      matrix: { n: [1, 2, 3] },
      with: { run: ['sh', 'task.sh', 'wide:n={{matrix.n}}', 'pass'] },
      outputs: ['wide:n={{matrix.n}}.txt'],
    },
  },
};

const hows = ['before', 'torn', 'after'] as const;

const roomOf = ({ sketches, stages = stagesOf(sketches) }: Graph): CrashRoom => new CrashRoom(stages);

describe.concurrent('SIGKILL at every record, then exec', () => {
  const all = Object.entries(graphs).map(([name, sketches]): [string, Graph] => [name, { sketches }]);

  it.each([...all, ['a matrix', matrix] as [string, Graph]])('%s', { timeout: 120_000 }, async (_name, graph) => {
    const expected = expectedOf(graph.sketches);
    const unbroken = roomOf(graph);
    await expectSameEnd(unbroken, await unbroken.exec(), { expected, crashes: [] });
    expect(unbroken.ran()).toEqual(expected.ran);

    const records = unbroken.journal()!.entries.length;
    // Half a record is the same in every graph, so one of them is enough.
    const wanted = hows.filter((how) => how !== 'torn' || graph.sketches === chain);
    const cases = Array.from({ length: records }, (_, at) => wanted.map((how) => ({ at, how }))).flat();
    await forEachOf(thinned(cases), ({ at, how }) => killAndGoOn(graph, at, how));
  });
});

async function killAndGoOn(graph: Graph, at: number, how: (typeof hows)[number]): Promise<void> {
  const room = roomOf(graph);
  const killed = await room.exec({ preload: 'kill-at', env: { CRASH_AT: String(at), CRASH_HOW: how } });
  expect(killed.signal, killed.stderr).toBe('SIGKILL');
  const crash = atCrash(room);
  expect(crash.records).toBe(how === 'after' ? at + 1 : at);
  const end = await room.exec();
  // A run that has begun and not ended is the one that goes on.
  const begun = room.runIds().length;
  expect(begun, `killed ${how} record ${at}`).toBe(crash.finished || crash.records === 0 ? begun : 1);
  try {
    await expectSameEnd(room, end, { expected: expectedOf(graph.sketches), crashes: [crash] });
  } catch (error) {
    (error as Error).message = `killed ${how} record ${at}: ${(error as Error).message}\n${end.stdout}${end.stderr}`;
    throw error;
  }
}
