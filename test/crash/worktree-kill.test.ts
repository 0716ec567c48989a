import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, nothingLeft, TreeStudy } from '../cli/tree-study.js';
import { ended } from '../support/project.js';
import { shared } from '../support/thinned.js';
import { until } from '../support/until.js';
import { forEachOf } from './crash-room.js';

/** Ignored outputs, lent inputs, a protected file that is in no commit, a removed file: all that can be in the middle of something. */
const one = (): TreeStudy => {
  const study = new TreeStudy({
    agents: { a: 'cat data/in > a.txt; mkdir -p out; cat keep.bin > out/big; rm -f old; echo b > src/b' },
    stages: { a: isolated({ inputs: ['data/in'], outputs: ['a.txt', 'out/big'] }) },
    files: { old: 'x\n', 'src/c': 'c\n' },
    more: { protect: ['keep.bin'] },
    ignored: 'out/\ndata/\nkeep.bin\n',
  });
  study.write('data/in', 'in\n');
  study.write('keep.bin', 'keep\n');
  return study;
};

const two = (): TreeStudy => {
  const study = new TreeStudy({
    agents: { a: 'cat data/in > a.txt; echo a > src/a', b: 'echo b > b.txt; echo b > src/b' },
    stages: {
      a: isolated({ inputs: ['data/in'], outputs: ['a.txt'], with: { instructions: 'x', verify: 'test -e data/in' } }),
      b: isolated({ outputs: ['b.txt'], with: { instructions: 'x', verify: 'test -e b.txt' } }),
    },
    files: { 'src/c': 'c\n' },
    ignored: 'data/\n',
  });
  study.write('data/in', 'in\n');
  return study;
};

const preload = (name: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${join(import.meta.dirname, `${name}.cjs`)}`,
});
const args = ['exec', '--reporter', 'plain', '--jobs', '2'];

/** Everything that a person finds afterwards. */
const endOf = (study: TreeStudy): object => ({
  // Commits that nobody had written down when the runner died are made again.
  left: { ...study.left(), lost: [] },
  // But for the script that says where the study is.
  main: study.git('ls-tree', '-r', 'HEAD').replace(/.*coder\.sh\n/, ''),
  out: study.exists('out/big') ? study.read('out/big') : '',
  tasks: study
    .events('task-finished')
    .map(({ task }) => task)
    .toSorted(),
});

async function goesOn(study: TreeStudy, what: string, expected: object): Promise<void> {
  const committed = new Set(isBegun(study) ? study.events('worktree-committed').map(({ task }) => task) : []);
  const asked = study.timesAsked();
  const again = await ended(study.start(args));
  expect(`${what}: ${again.code} ${again.stdout}${again.stderr}`).toMatch(/: 0 /);
  expect({ what, ...endOf(study) }).toEqual({ what, ...expected });
  const more = study.timesAsked().slice(asked.length);
  expect({ what, again: more.filter((task) => committed.has(task)) }).toEqual({ what, again: [] });
}

const isBegun = (study: TreeStudy): boolean => {
  try {
    return study.journal().length > 0;
  } catch {
    return false;
  }
};

const slow = { timeout: 1_200_000 };

describe('SIGKILL of a run with worktrees, then exec', slow, () => {
  // After one record is before the next, but for what happened in between.
  it.each<[string, () => TreeStudy, readonly string[]]>([
    ['one task', one, ['before', 'after']],
    ['two tasks', two, ['after']],
  ])('at every record, %s', async (_name, make, hows) => {
    const unbroken = make();
    expect((await ended(unbroken.start(args))).code).toBe(0);
    const expected = endOf(unbroken);
    expect(expected).toMatchObject({ left: nothingLeft });
    const records = unbroken.journal().length;
    const cases = Array.from({ length: records }, (_, at) => hows.map((how) => ({ at, how }))).flat();
    await forEachOf(shared(cases), async ({ at, how }) => {
      const study = make();
      const env = { ...preload('kill-at'), CRASH_AT: String(at), CRASH_HOW: how };
      expect(`${how} ${at}: ${(await ended(study.start(args, env))).code}`).toBe(`${how} ${at}: null`);
      await goesOn(study, `killed ${how} record ${at}`, expected);
      rmSync(study.dir, { recursive: true, force: true });
    });
  });

  it.each<[string, () => TreeStudy, number]>([
    ['one task', one, 1],
    ['two tasks', two, 3],
  ])('around gits, %s', async (_name, make, every) => {
    const unbroken = make();
    const log = `${unbroken.home}.log`;
    expect((await ended(unbroken.start(args, { ...preload('kill-at-git'), KILL_LOG: log }))).code).toBe(0);
    const expected = endOf(unbroken);
    const gits = readFileSync(log, 'utf8').trim().split('\n');
    rmSync(log);
    const cases = gits.flatMap((what, at) =>
      // A git that only answers leaves everything as it was.
      changing.test(what) || at % 20 === 0 ? ['before', 'after'].map((how) => ({ at, how, what })) : [],
    );
    expect(cases.length).toBeGreaterThan(20);
    await forEachOf(shared(cases.filter((_, index) => index % every === 0)), async ({ at, how, what }) => {
      const study = make();
      await ended(study.start(args, { ...preload('kill-at-git'), KILL_AT: String(at), KILL_HOW: how }));
      await goesOn(study, `killed ${how} git ${at} (${what})`, expected);
      rmSync(study.dir, { recursive: true, force: true });
    });
  });
});

const changing =
  /^(worktree add|read-tree|update-ref|symbolic-ref [^-]|commit-tree|write-tree|merge-tree|update-index|checkout-index)/;

describe('a person who stops a run with worktrees', { timeout: 180_000 }, () => {
  it('while an agent works goes on in the same worktree', async () => {
    const study = new TreeStudy({
      agents: {
        a: 'echo half > half; touch "$HOME/../$(basename "${PWD%%/.autoresearch/*}").began"; [ "$AUTORESEARCH_ATTEMPT" = 2 ] || sleep 100; cat half > a.txt; rm half',
      },
    });
    const began = `${study.dir}.began`;
    study.put(
      'coder.sh',
      study.get('coder.sh').replace('$HOME/../$(basename "${PWD%%/.autoresearch/*}").began', began),
    );
    study.commit('where it says that it began');
    const child = study.start(args);
    const end = ended(child);
    await until(() => existsSync(began));
    rmSync(began);
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect(study.status()).toBe('');
    const { code, stdout } = await ended(study.start(args));
    rmSync(began);
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.read('a.txt')).toBe('half\n');
    expect(study.left()).toEqual(nothingLeft);
  });

  it('while the work is checked once more asks nobody again', async () => {
    const study = two();
    const began = `${study.dir}.began`;
    const gate = `test ! -e a.txt -o ! -e b.txt || { touch ${began}; [ -e ${began}.go ] || sleep 100; }`;
    const config = JSON.parse(study.get('autoresearch.config.json')) as {
      stages: Record<string, { with: { verify: string } }>;
    };
    for (const stage of Object.values(config.stages)) stage.with.verify = gate;
    study.put('autoresearch.config.json', JSON.stringify(config));
    study.commit('a check that takes long');
    const child = study.start(args);
    const end = ended(child);
    await until(() => existsSync(began));
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    study.write(`../${began.split('/').at(-1)}.go`, '');
    const { code, stdout } = await ended(study.start(args));
    for (const file of [began, `${began}.go`]) rmSync(file, { force: true });
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(study.timesAsked().toSorted()).toEqual(['a', 'b']);
    expect(study.left()).toEqual(nothingLeft);
  });
});
