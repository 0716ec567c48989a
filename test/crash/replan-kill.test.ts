import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { ReplanStudy } from '../support/replan-study.js';
import { shared } from '../support/thinned.js';
import { forEachOf } from './crash-room.js';

const preload = { NODE_OPTIONS: `--require ${join(import.meta.dirname, 'kill-at.cjs')}` };
const args = ['exec', '--reporter', 'plain', '--jobs', '1'];

/** Who is killed while the first one plans has asked it, and asks the second. */
function study(): ReplanStudy {
  const agent = (name: string) => ({ backend: 'command', run: `./${name}.sh`, limits: { timeout: '60s' } });
  const agents = { coder: agent('coder'), planner: agent('planner'), other: agent('planner') };
  const made = new ReplanStudy({ config: { agents, escalate: ['planner', 'other', 'human'] } });
  chmodSync(join(made.dir, 'planner.sh'), 0o755);
  return made;
}

const endOf = async (room: ReplanStudy): Promise<object> => ({
  plan: room.read('design/tasks.yaml'),
  checkout: room.git('status', '--porcelain'),
  // What had been done before is not done twice.
  zero: room.asked('coder').filter((task) => task === 'T0').length,
  changes: room.entries('task-file-changed').length,
  isMarked: room.exists('.autoresearch/default/planning'),
  verified: (await room.run('verify')).code,
  again: (await room.exec()).stdout.includes('nothing to do'),
});

describe('SIGKILL while a planner changes the task file, then exec', () => {
  it('at every record from the failure to the next try', { timeout: 1_200_000 }, async () => {
    const unbroken = study();
    expect((await ended(unbroken.start(args))).code).toBe(0);
    const expected = await endOf(unbroken);
    expect(expected).toMatchObject({ checkout: '', zero: 1, changes: 1, isMarked: false, verified: 0, again: true });
    const entries = unbroken.journal();
    const isOfOne = (type: string) => (entry: Record<string, unknown>) =>
      entry.type === type && entry.task === 'build:T1';
    const first = entries.findIndex(isOfOne('task-failed'));
    const last = entries.findLastIndex(isOfOne('task-started'));
    expect(last - first).toBeGreaterThan(8);
    const cases = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    await forEachOf(shared(cases), async (at) => {
      const room = study();
      const killed = await ended(room.start(args, { ...preload, CRASH_AT: String(at), CRASH_HOW: 'after' }));
      const what = `killed after record ${at} (${entries[at]!.type} of ${entries[at]!.task})`;
      expect(`${what}: ${killed.code}`).toBe(`${what}: null`);
      const end = await ended(room.start(args));
      expect(`${what}: ${end.code} ${end.stderr}${end.stdout}`).toContain(`${what}: 0 `);
      expect({ what, ...(await endOf(room)) }).toEqual({ what, ...expected });
      rmSync(room.dir, { recursive: true, force: true });
    });
  });
});
