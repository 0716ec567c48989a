import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { shared } from '../support/thinned.js';
import { forEachOf } from './crash-room.js';

const args = ['exec', '--reporter', 'plain'];
const preload = (name: string): string => `--require ${join(import.meta.dirname, `${name}.cjs`)}`;

/** A baseline, an iteration that is kept and one that is put back, with files that come and go. */
const loop = (): LoopProject =>
  new LoopProject(['0.5', '0.7'], {
    iterate: { max: 2, files: ['value.txt', 'src'] },
    files: { 'src/a.txt': 'a\n' },
    stages: {
      edit: {
        uses: 'command',
        with: {
          run: 'sh edit.sh {{iteration.number}}; echo {{iteration.number}} > src/{{iteration.number}}.txt; rm -f src/a.txt',
        },
        outputs: ['value.txt', 'src/{{iteration.number}}.txt'],
      },
    },
  });

/** All that a person finds afterwards, and that must not depend on how often somebody was killed. */
const endOf = (project: LoopProject): object => ({
  rows: project
    .rows()
    .map(({ number, verdict, why, value, best, changes }) => [number, verdict, why, value, best, changes?.files]),
  log: project.log(),
  tree: project.git('ls-tree', '-r', 'HEAD', 'value.txt', 'src'),
  status: project.git('status', '--porcelain'),
  branches: [1, 2].map((number) => project.git('ls-tree', '-r', `auto/default-iter-${number}-1`, 'value.txt', 'src')),
  patches: [1, 2].map((number) => project.read(`.autoresearch/default/iterations/1/${number}/changes.patch`)),
  insights: project.read('insights.md').match(/^## .*$/gm),
  table: project.table().map((row) => row.slice(0, 5)),
});

const expectOnce = (project: LoopProject, what: string): void => {
  const types = project.records().map(({ type, number, repeat = 1 }) => `${type} ${number} ${repeat}`);
  const counted = types.filter((type) => /^iteration-(measured|decided|closed)/.test(type));
  expect(counted.length, what).toBe(new Set(counted).size);
};

interface Kill {
  readonly what: string;
  readonly env: Readonly<Record<string, string>>;
}

async function killAndGoOn({ what, env }: Kill, expected: object): Promise<void> {
  const project = loop();
  const child = project.start(args, env);
  await ended(child);
  expect(child.signalCode, what).toBe('SIGKILL');
  const trained = project.exists('ran') ? project.read('ran').trimEnd().split('\n') : [];
  const end = await project.run(...args);
  expect(`${what}: ${end.code} ${end.stderr}`).toBe(`${what}: 0 `);
  expect({ what, ...endOf(project) }).toEqual({ what, ...expected });
  expectOnce(project, what);
  // At most what was at work when the runner died is trained once more.
  const again = project.read('ran').trimEnd().split('\n');
  expect(again.slice(0, trained.length), what).toEqual(trained);
  expect(again.length, what).toBeLessThanOrEqual(4);
  rmSync(project.dir, { recursive: true, force: true });
}

describe.concurrent('SIGKILL in a loop, then exec', () => {
  it('at every record of the loop', { timeout: 240_000 }, async () => {
    const unbroken = loop();
    expect((await unbroken.run(...args)).code).toBe(0);
    const expected = endOf(unbroken);
    expect(unbroken.verdicts()).toEqual(['0 kept', '1 kept', '2 discarded']);
    const kill = (at: number, how: string): Kill => ({
      what: `${how} record ${at}`,
      env: { NODE_OPTIONS: preload('kill-at'), CRASH_AT: String(at), CRASH_HOW: how, CRASH_FILE: 'iterations.jsonl' },
    });
    // Before a record all that it tells of is done and nobody knows; after it nothing has followed from it.
    const all = unbroken.records().flatMap(({ type, number }, at) => {
      const isWork = type === 'iteration-closed' || (number === 2 && /measured|decided/.test(String(type)));
      return [kill(at, 'after'), ...(isWork ? [kill(at, 'before')] : [])];
    });
    await forEachOf(shared([...all, kill(3, 'torn')]), (one) => killAndGoOn(one, expected));
  });

  it('around every git that keeps or puts back', { timeout: 240_000 }, async () => {
    const unbroken = loop();
    const log = join(unbroken.stateHome, '..', `${Math.random()}.log`);
    // Whatever changes the repository or the checkout; looking is no harm.
    const only = '^(update-ref|update-index -z --index-info|checkout-index)';
    const watched = { NODE_OPTIONS: preload('kill-at-git'), KILL_ONLY: only };
    expect((await ended(unbroken.start(args, { ...watched, KILL_LOG: log }))).code).toBe(0);
    const calls = readFileSync(log, 'utf8').trimEnd().split('\n');
    rmSync(log);
    const expected = endOf(unbroken);
    expect(calls.length).toBeGreaterThan(5);
    const kills = calls.map(
      (call, at): Kill => ({
        what: `before git ${at}: ${call}`,
        env: { ...watched, KILL_AT: String(at), KILL_HOW: 'before' },
      }),
    );
    await forEachOf(shared(kills), (one) => killAndGoOn(one, expected));
  });
});
