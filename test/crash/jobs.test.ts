import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SlurmCluster, whyNoSlurm } from '../support/slurm.js';
import { shared } from '../support/thinned.js';
import { CrashRoom, forEachOf } from './crash-room.js';

const seeds = [1, 2, 3];

const stages = {
  train: {
    uses: 'command',
    on: 'cluster',
    matrix: { seed: seeds },
    with: { run: ['sh', 'task.sh', 'train:seed={{matrix.seed}}', 'pass'] },
    outputs: ['train:seed={{matrix.seed}}.txt'],
  },
  after: { uses: 'command', needs: ['train'], with: { run: 'cat train*.txt >after.txt' }, outputs: ['after.txt'] },
};

const once = Object.fromEntries(seeds.map((seed) => [`train:seed=${seed}`, 1]));

/** Kills the runner around each record of its journal in turn; whatever it had handed over is neither lost nor done twice. */
async function killEverywhere(cluster: object, env: Readonly<Record<string, string>>): Promise<void> {
  const head = { clusters: { cluster } };
  const unbroken = new CrashRoom(stages, head);
  const first = await unbroken.exec({ env });
  expect(first.code, first.stdout + first.stderr).toBe(0);
  expect(unbroken.ran()).toEqual(once);
  const { entries } = unbroken.journal()!;
  const types = entries.map(({ type }) => type);
  expect(types.filter((type) => type === 'job-submitting')).toHaveLength(3);
  expect(types.filter((type) => type === 'job-finished')).toHaveLength(3);

  const cases = entries.flatMap((_, at) => (['before', 'after'] as const).map((how) => ({ at, how })));
  await forEachOf(shared(cases), async ({ at, how }) => {
    const room = new CrashRoom(stages, head);
    const killed = await room.exec({ preload: 'kill-at', env: { ...env, CRASH_AT: String(at), CRASH_HOW: how } });
    // How often a state is seen depends on when it is looked for: there may be fewer records this time.
    const where = `killed ${how} record ${at} (${types[at]})`;
    if (killed.signal !== 'SIGKILL') expect(killed.code, where).toBe(0);
    const end = await room.exec({ env });
    expect(end.code, `${where}\n${end.stdout}${end.stderr}`).toBe(0);
    expect(room.ran(), where).toEqual(once);
    const tags = room.journal()!.entries.flatMap((entry) => (entry.type === 'job-submitted' ? [entry.tag] : []));
    expect(new Set(tags).size, where).toBe(tags.length);
  });
}

describe('SIGKILL of the runner at every record, with jobs', () => {
  it('on this machine', { timeout: 240_000 }, () => killEverywhere({ type: 'local', slots: 2, poll: '50ms' }, {}));

  const missing = whyNoSlurm();
  describe.skipIf(missing !== undefined)(`on a real Slurm${missing === undefined ? '' : ` (${missing})`}`, () => {
    const cluster = new SlurmCluster();
    beforeAll(() => cluster.up());
    afterAll(() => cluster.down());

    it('where the tasks of a matrix are one array', { timeout: 600_000 }, () =>
      killEverywhere({ type: 'slurm', poll: '200ms' }, { SLURM_CONF: cluster.conf }),
    );
  });
});
