import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.js';
import { compileStudy, deepFreeze, inputOf, needsOf, planOf, type Stages, type Study } from './study.js';

const study: Study = {
  vars: { steps: 5, seeds: [1, 2], flags: '--a b', mode: 'full' },
  stages: {
    data: { with: { run: 'make {{vars.steps}}' }, outputs: ['data/x.csv'], env: { B: '2', A: '1' }, timeout: '1m' },
    train: {
      matrix: { arm: ['a', 'b'], seed: '{{vars.seeds}}' },
      with: { run: 'train {{{vars.flags}}} {{matrix.seed}}' },
      inputs: ['data/*.csv'],
      outputs: ['out/{{matrix.arm}}-{{matrix.seed}}.json'],
      schema: { 'out/{{matrix.arm}}-{{matrix.seed}}.json': 's.json' },
      retry: { attempts: 3, backoff: '1s' },
      timeout: '5m',
    },
    report: {
      uses: 'render',
      with: { files: [{ template: 't.hbs', to: 'report.md', data: { z: 1, a: { d: 1, c: 2 } } }] },
      needs: ['train'],
    },
    extra: { needs: ['report'], when: "vars.mode == 'fast'", cache: false },
  },
};

describe('a plan', () => {
  test('the whole of a small one', async () => {
    const plan = await planOf({
      vars: { n: 2 },
      stages: { a: { outputs: ['x'], with: { run: 'echo {{vars.n}}' } }, b: { inputs: ['x'], cwd: 'sub', idle: '5s' } },
    });
    const common = {
      uses: 'command',
      behaviour: 'command@1',
      schema: {},
      env: {},
      retry: { attempts: 1 },
      cache: true,
    };
    expect(JSON.parse(JSON.stringify(plan))).toEqual({
      version: 1,
      name: 'study',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      waves: [['a'], ['b']],
      tasks: [
        {
          ...common,
          id: 'a',
          stage: 'a',
          options: { run: 'echo 2' },
          needs: [],
          inferred: [],
          inputs: [],
          outputs: ['x'],
          cwd: '.',
          description: { summary: 'echo 2', commands: ['echo 2'] },
        },
        {
          ...common,
          id: 'b',
          stage: 'b',
          options: { run: 'true' },
          needs: ['a'],
          inferred: [{ task: 'a', via: 'x' }],
          inputs: ['x'],
          outputs: [],
          cwd: 'sub',
          idleMs: 5000,
          description: { summary: 'true', commands: ['true'] },
        },
      ],
      worstCase: { attempts: 2, agentCalls: 0, usd: 0, timeMs: null },
    });
  });

  test('is the same bytes when made again, and making it changes nothing', async () => {
    const input = deepFreeze(await inputOf(study));
    const before = JSON.stringify(input.config);
    const [first, second] = [await compile(input), await compile(input)];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(JSON.stringify(await compileStudy(structuredClone(study) as Study))).toBe(JSON.stringify(first));
    expect(JSON.stringify(input.config)).toBe(before);
  });

  test('mistakes too are the same, in the same order', async () => {
    const wrong: Study = {
      vars: { a: 1, b: '{{name}}' },
      stages: {
        one: { uses: 'fake', with: { count: 'x', nope: 1 }, when: 'vars.c', outputs: ['o'] },
        two: { with: { run: '' }, needs: ['gone'], outputs: ['o'], timeout: '{{vars.a}}' },
        three: { uses: 'render', with: { files: [] }, needs: ['three'] },
      },
    };
    const [first, second] = [await compileStudy(wrong), await compileStudy(wrong)];
    expect(first.ok).toBe(false);
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });
});

describe('the digest', () => {
  const digest = async (more: Partial<Stages[string]>, rest: Partial<Study> = {}): Promise<string> =>
    (await planOf({ ...rest, stages: { a: { uses: 'fake', with: { any: 1 }, outputs: ['o'], ...more } } })).digest;

  test('does not depend on the order of keys', async () => {
    const pairs: [Partial<Stages[string]>, Partial<Stages[string]>][] = [
      [{ with: { any: 1, text: 'x' } }, { with: { text: 'x', any: 1 } }],
      [
        { with: { data: { a: { x: 1, y: [{ p: 1, q: 2 }] }, b: 2 } } },
        { with: { data: { b: 2, a: { y: [{ q: 2, p: 1 }], x: 1 } } } },
      ],
      [{ with: { data: { a: '{{name}}', b: 2 } } }, { with: { data: { b: 2, a: '{{name}}' } } }],
      [{ env: { A: '1', B: '2' } }, { env: { B: '2', A: '1' } }],
      [{ retry: { attempts: 2, backoff: '1s' } }, { retry: { backoff: '1s', attempts: 2 } }],
      [
        { gate: { kind: 'human', expires: '1h', approvers: ['ada'] } },
        { gate: { approvers: ['ada'], expires: '1h', kind: 'human' } },
      ],
      [
        { outputs: ['o', 'p'], schema: { o: 's', p: 't' } },
        { outputs: ['o', 'p'], schema: { p: 't', o: 's' } },
      ],
      [
        { timeout: '1m', cwd: 'x', cache: false, idle: '1s' },
        { cache: false, idle: '1s', cwd: 'x', timeout: '1m' },
      ],
    ];
    for (const [one, other] of pairs) expect(await digest(one), JSON.stringify(one)).toBe(await digest(other));
  });

  test('does not depend on the order of keys of a fix', async () => {
    const agents = { fixer: { backend: 'codex' } } as const;
    const [one, other] = [
      { attempts: 2, fix: 'fixer' },
      { fix: 'fixer', attempts: 2 },
    ];
    expect(await digest({ retry: one }, { agents })).toBe(await digest({ retry: other }, { agents }));
  });

  test('does not depend on the order of variables', async () => {
    const stages: Stages = { a: { env: { A: '{{vars.a}}{{vars.b}}' } } };
    const [one, other] = [
      await planOf({ vars: { a: 1, b: 2 }, stages }),
      await planOf({ vars: { b: 2, a: 1 }, stages }),
    ];
    expect(one.digest).toBe(other.digest);
  });

  test('depends on everything that a task does', async () => {
    const changes: Partial<Stages[string]>[] = [
      {},
      { with: { any: 2 } },
      { with: { any: '1' } },
      { uses: 'command', with: { run: 'true' } },
      { outputs: ['p'] },
      { outputs: [] },
      { inputs: ['i'] },
      { env: { A: '1' } },
      { cwd: 'x' },
      { timeout: '1m' },
      { idle: '1m' },
      { retry: { attempts: 2 } },
      { retry: { attempts: 2, backoff: '1s' } },
      { gate: 'human' },
      { gate: { kind: 'auto', checks: ['true'] } },
      { gate: { kind: 'auto', checks: [{ file: 'o' }] } },
      { cache: false },
      { schema: { o: 's' } },
      { when: 'false' },
      { matrix: { n: [1] } },
    ];
    const digests = await Promise.all(changes.map((change) => digest(change)));
    expect(new Set(digests).size).toBe(changes.length);
    expect(await digest({}, { name: 'other' })).not.toBe(digests[0]);
  });

  test('depends on the edges, and on the code of the behaviour', async () => {
    const stages = (needs: string[]): Study => ({ stages: { a: {}, b: { needs } } });
    expect((await planOf(stages(['a']))).digest).not.toBe((await planOf(stages([]))).digest);
    const { behaviours } = await inputOf({ stages: {} });
    const [one, two] = ['1', '2'].map((version) => ({ mine: { ...behaviours.get('fake')!, digest: version } }));
    const using: Study = { stages: { a: { uses: 'mine' } } };
    expect((await planOf(using, { behaviours: one! })).digest).not.toBe(
      (await planOf(using, { behaviours: two! })).digest,
    );
  });

  test('says the same for stages in another order, but for the order of the tasks', async () => {
    const turned: Study = { ...study, stages: Object.fromEntries(Object.entries(study.stages).reverse()) };
    const [one, other] = [await planOf(study), await planOf(turned)];
    const sorted = (tasks: readonly { readonly id: string }[]) => [...tasks].sort((a, b) => a.id.localeCompare(b.id));
    expect(sorted(other.tasks)).toEqual(sorted(one.tasks));
    expect(other.waves.map((wave) => [...wave].sort())).toEqual(one.waves.map((wave) => [...wave].sort()));
    expect(other.worstCase).toEqual(one.worstCase);
  });
});

/** Stages in any order, each after some that come before it in a hidden order, by word, by file or by glob. */
const randomStages: fc.Arbitrary<Stages> = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(), { maxLength: 3 }),
      reads: fc.array(fc.nat(), { maxLength: 3 }),
      way: fc.nat({ max: 3 }),
      matrix: fc.nat({ max: 3 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .chain((picks) => {
    const entries = picks.map(({ needs, reads, way, matrix }, index): [string, Stages[string]] => {
      const earlier = (numbers: readonly number[]) => [
        ...new Set(index === 0 ? [] : numbers.map((number) => number % index)),
      ];
      const path = (other: number): string =>
        [`out/s${other}`, `out/s${other}/*.json`, `out/s${other}/**`, `out/s${other}`][way]!;
      return [
        `s${index}`,
        {
          needs: earlier(needs).map((other) => `s${other}`),
          inputs: earlier(reads).map(path),
          ...(matrix === 0
            ? { outputs: [`out/s${index}/a.json`] }
            : {
                matrix: { i: Array.from({ length: matrix }, (_, i) => i) as [number] },
                outputs: [`out/s${index}/{{matrix.i}}.json`],
              }),
        },
      ];
    });
    return fc
      .shuffledSubarray(entries, { minLength: entries.length, maxLength: entries.length })
      .map((shuffled) => Object.fromEntries(shuffled));
  });

test('property: waves respect words and files, each task stands in one of them, and nothing else is needed', async () => {
  await fc.assert(
    fc.asyncProperty(randomStages, async (stages) => {
      const plan = await planOf({ stages });
      const tasksOf = (stage: string) => plan.tasks.filter((task) => task.stage === stage).map(({ id }) => id);
      const wave = new Map(plan.waves.flatMap((ids, index) => ids.map((id) => [id, index] as const)));
      expect([...wave.keys()].sort()).toEqual(plan.tasks.map(({ id }) => id).sort());
      for (const [id, needs] of Object.entries(needsOf(plan))) {
        const { needs: words = [], inputs = [] } = stages[id.split(':')[0]!]!;
        const wanted = new Set([...words, ...inputs.map((path) => path.split('/')[1]!)].flatMap(tasksOf));
        expect(new Set(needs)).toEqual(wanted);
        expect(needs.length).toBe(wanted.size);
        const before = needs.map((need) => wave.get(need)!);
        expect(wave.get(id)).toBe(Math.max(-1, ...before) + 1);
      }
    }),
    { numRuns: 60 },
  );
});

describe('size', () => {
  test('10,000 tasks of a matrix, each reading the file of another', async () => {
    const matrix = { i: Array.from({ length: 5000 }, (_, i) => i) as [number] };
    const plan = await planOf({
      stages: {
        train: { matrix, outputs: ['out/{{matrix.i}}.json'] },
        evaluate: { matrix, inputs: ['out/{{matrix.i}}.json'], outputs: ['eval/{{matrix.i}}.json'] },
        report: { inputs: ['eval/*.json'], needs: ['train'] },
      },
    });
    expect(plan.tasks.length).toBe(10_001);
    expect(plan.waves.map((wave) => wave.length)).toEqual([5000, 5000, 1]);
    expect(plan.tasks[9999]?.needs).toEqual(['train:i=4999']);
  });

  test('20,000 tasks that all write one file are one mistake', async () => {
    const matrix = { i: Array.from({ length: 20_000 }, (_, i) => i) as [number] };
    const result = await compileStudy({ stages: { a: { matrix, outputs: ['out/x.json'] }, b: { inputs: ['out'] } } });
    expect(result.ok ? [] : result.error.map(({ code }) => code)).toEqual(['AR502']);
  });

  test('2,000 tasks that each write a glob in one folder, and 2,000 that each read one of them', async () => {
    const matrix = { i: Array.from({ length: 2000 }, (_, i) => i) as [number] };
    const glob = ['out/{{matrix.i}}-*.json'];
    const plan = await planOf({ stages: { a: { matrix, outputs: glob }, b: { matrix, inputs: glob } } });
    expect(plan.tasks.at(-1)?.needs).toEqual(['a:i=1999']);
  });

  test('1,000 tasks that each need 1,000 others', async () => {
    const matrix = { i: Array.from({ length: 1000 }, (_, i) => i) as [number] };
    const plan = await planOf({
      stages: { a: { matrix }, b: { matrix, needs: ['a'] }, c: { matrix, needs: ['b'], when: 'matrix.i > 0' } },
    });
    expect(plan.waves.map((wave) => wave.length)).toEqual([1000, 1000, 1000]);
  });
});
