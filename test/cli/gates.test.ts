import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstPrev, seal } from '../../src/journal/chain.js';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const me = userInfo().username;
const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');

const command = (run: string, more: object = {}): object => ({ uses: 'command', with: { run }, ...more });

/** build (the gate) → train. */
function studyOf(gate: unknown = 'human', more: { readonly stages?: object; readonly top?: object } = {}): Project {
  const config = {
    name: 'study',
    ...more.top,
    stages: {
      build: command('echo "$AUTORESEARCH_FEEDBACK" > out.txt; echo built >> built', { outputs: ['out.txt'], gate }),
      train: command('echo trained >> trained', { needs: ['build'] }),
      ...more.stages,
    },
  };
  return new Project({ 'autoresearch.config.json': JSON.stringify(config) });
}

const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);
const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);
const runsOf = (project: Project, agentId = 'default'): string[] =>
  readdirSync(join(project.dir, '.autoresearch', agentId, 'runs')).sort();

describe('a human gate without a terminal', () => {
  it('saves the run, exits 3 and prints the commands; closed input approves nothing', async () => {
    const project = studyOf();
    const { code, stdout } = await exec(project);
    const [run] = runsOf(project);
    expect(code).toBe(3);
    expect(stdout.replace(/\d+\.\d s/g, 'T')).toBe(
      [
        `study: run ${run}, 2 tasks, at most 2 at once`,
        '✓ build  T',
        '◆ build  waits at its gate for a person  (to answer: autoresearch gates)',
        '○ train  skipped: build waits at its gate',
        '○ study waits for a person after T: 1 passed, 1 skipped',
        '',
        '○ 1 skipped because build waits at its gate: train',
        '',
        '◆ build waits at its gate for a person',
        '  look at  out.txt',
        `  autoresearch approve build --run ${run}`,
        `  autoresearch revise build --run ${run} --feedback 'TEXT'`,
        `  autoresearch reject build --run ${run} --reason 'TEXT'`,
        '',
        'Next:',
        '  autoresearch exec  go on, once you have answered',
        '',
      ].join('\n'),
    );
    expect(project.exists('trained')).toBe(false);
  });

  it('is answered while nobody waits, and asks no second time', async () => {
    const project = studyOf();
    await exec(project);
    expect((await exec(project)).code).toBe(3);
    expect(events(project, 'gate-opened')).toHaveLength(1);
    const [run] = runsOf(project);
    expect(await project.run('approve', 'build', '--note', 'looks right')).toEqual({
      code: 0,
      stdout: `Approved: build of run ${run}, by ${me}; go on with: autoresearch exec\n`,
      stderr: '',
    });
    const { stdout } = await project.run('status');
    expect(stdout).toContain(`study was answered, and can go on · run ${run}`);
    expect(stdout).toContain('○ 1 skipped, to be tried by the next exec: build was approved: train\n');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(events(project, 'gate-decided')).toMatchObject([
      { verdict: 'pass', by: { kind: 'person', name: me }, reasons: ['looks right'] },
    ]);
    expect((await exec(project)).stdout).toContain('nothing to do');
    // Nor in another run, as long as everything is the same.
    expect(await exec(project, '--new')).toMatchObject({ code: 0 });
    expect(project.read('built')).toBe('built\n');
  });

  it('takes an answer from another shell while the runner lives', async () => {
    const project = studyOf('human', {
      stages: { slow: command('touch slow-began; while [ ! -e go ]; do sleep 0.05; done') },
    });
    const running = ended(project.start(['exec', '--reporter', 'plain', '--jobs', '2']));
    await until(() => project.exists('slow-began') && events(project, 'gate-opened').length === 1);
    const told = await project.run('approve', 'build');
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('the run goes on with it') });
    await until(() => project.exists('trained'));
    project.write('go', '');
    expect(await running).toMatchObject({ code: 0 });
    expect(readdirSync(join(project.dir, '.autoresearch/default/runs', runsOf(project)[0]!, 'answers'))).toEqual([]);
  });

  it('a runner that was killed leaves the question, and it can be answered', async () => {
    const project = studyOf('human', {
      stages: { slow: command('touch slow-began; while [ ! -e go ]; do sleep 0.05; done') },
    });
    const child = project.start(['exec', '--reporter', 'plain', '--jobs', '2']);
    const gone = ended(child);
    await until(() => project.exists('slow-began') && events(project, 'gate-opened').length === 1);
    child.kill('SIGKILL');
    await gone;
    expect(await project.run('approve', 'build')).toMatchObject({ code: 0 });
    project.write('go', '');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('built')).toBe('built\n');
    expect(events(project, 'gate-opened')).toHaveLength(1);
  });

  it('is answered once, however many answer at once', async () => {
    const project = studyOf();
    await exec(project);
    const ends = await Promise.all([1, 2, 3].map(() => project.run('approve', 'build')));
    expect(ends.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(events(project, 'gate-decided')).toHaveLength(1);
    expect(ends.find(({ code }) => code === 2)?.stderr).toMatch(
      /AR605 build does not wait at its gate: it was approved/,
    );
  });
});

describe('a gate that is taken out of the config while it waits', () => {
  it('is told of, and nobody is asked about it any more', async () => {
    const project = studyOf();
    await exec(project);
    const config = JSON.parse(project.read('autoresearch.config.json'));
    delete config.stages.build.gate;
    project.write('autoresearch.config.json', JSON.stringify(config));
    const { code, stdout } = await exec(project);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  changed: build: gate human → none\n');
    expect(stdout).not.toContain('waits at its gate');
    expect((await project.run('gates')).stdout).not.toContain('waits at its gate');
  });
});

describe('an answer for something else', () => {
  it('starting another run answers nothing, and an answer for one run is none for another', async () => {
    const project = studyOf();
    await exec(project);
    expect(await exec(project, '--new', '--force', 'build')).toMatchObject({ code: 3 });
    const [first, second] = runsOf(project);
    expect((await project.run('gates')).stdout.match(/waits at its gate/g)).toHaveLength(2);
    expect(await project.run('approve', 'build', '--run', first!)).toMatchObject({ code: 0 });
    const { gates } = JSON.parse((await project.run('gates', '--json')).stdout);
    expect(gates).toMatchObject([{ run: second, agentId: 'default', task: 'build', kind: 'human', status: 'open' }]);
    expect(await exec(project)).toMatchObject({ code: 3 });
    expect(project.exists('trained')).toBe(false);
  });

  it('two agent ids do not share a gate; gates lists both', async () => {
    const project = studyOf();
    await exec(project);
    await exec(project, '--agent-id', 'two');
    const { stdout } = await project.run('gates');
    expect(stdout).toContain(`autoresearch approve build --run ${runsOf(project, 'two')[0]} --agent-id two\n`);
    await project.run('approve', 'build', '--agent-id', 'two');
    expect((await exec(project)).code).toBe(3);
    expect((await exec(project, '--agent-id', 'two')).code).toBe(0);
  });

  it('an artefact that was swapped after the question: the answer is refused, the next exec asks anew', async () => {
    const project = studyOf({ kind: 'human', evidence: ['notes.md'] });
    project.write('notes.md', 'as shown');
    await exec(project);
    project.write('notes.md', 'swapped');
    const { code, stderr } = await project.run('approve', 'build');
    expect(code).toBe(2);
    expect(stderr).toContain('AR608 what build was to be looked at for has changed since it was asked');
    expect(events(project, 'gate-decided')).toEqual([]);
    const again = await exec(project);
    expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('notes.md changed since it was asked')]);
    expect(await project.run('approve', 'build')).toMatchObject({ code: 0 });
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it('an artefact that was swapped after the approval voids it, and all that follows', async () => {
    const project = studyOf({ kind: 'human', evidence: ['notes.md'] });
    project.write('notes.md', 'as shown');
    await exec(project);
    await project.run('approve', 'build');
    await exec(project);
    project.write('notes.md', 'swapped');
    const plan = JSON.parse((await project.run('plan', '--json')).stdout);
    expect(plan.tasks.map(({ id, action, reasons }: Record<string, unknown>) => [id, action, reasons])).toEqual([
      ['build', 'cached', [{ code: 'gate-voided', detail: `notes.md changed since ${me} decided` }]],
      ['train', 'run', [{ code: 'upstream-stale', detail: 'build has to pass its gate' }]],
    ]);
    expect(await exec(project)).toMatchObject({ code: 3 });
    await project.run('approve', 'build');
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('trained')).toBe('trained\ntrained\n');
    expect(project.read('built')).toBe('built\n');
  });

  describe('the same bytes made anew', () => {
    /** Approved and passed; then somebody writes over the result, so that the work has to be done again. */
    const approved = async (run = 'cat in.txt > out.txt; echo built >> built'): Promise<Project> => {
      const build = command(run, { inputs: ['in.txt'], outputs: ['out.txt'], gate: 'human' });
      const project = studyOf('human', { stages: { build } });
      project.write('in.txt', 'one');
      await exec(project);
      expect(await project.run('approve', 'build', '--note', 'looks good')).toMatchObject({ code: 0 });
      expect(await exec(project)).toMatchObject({ code: 0 });
      return project;
    };

    it('need no second answer, and it is said whose decision that rests on', async () => {
      const project = await approved();
      const [first] = runsOf(project);
      project.write('out.txt', 'edited by hand');
      const again = await exec(project);
      expect([again.code, again.stdout]).toEqual([
        0,
        expect.stringContaining(`◆ build  approved by ${me} in run ${first}, and this is the very same: looks good\n`),
      ]);
      expect(project.read('out.txt')).toBe('one');
      expect(project.read('built')).toBe('built\nbuilt\n');
      expect(events(project, 'gate-opened')).toEqual([]);
      const at = expect.stringMatching(/^\d{4}-.*Z$/);
      expect(events(project, 'gate-decided')).toMatchObject([
        { task: 'build', verdict: 'pass', by: { kind: 'person', name: me }, from: { run: first, at } },
      ]);
      const { gates } = JSON.parse((await project.run('status', '--json')).stdout);
      expect(gates).toMatchObject([
        {
          task: 'build',
          kind: 'human',
          status: 'passed',
          evidence: [{ path: 'out.txt' }],
          decision: { from: { run: first } },
        },
      ]);
      expect((await project.run('verify')).code).toBe(0);
      // Nobody waits, and a run that carries the decision on says the same.
      expect(JSON.parse((await project.run('gates', '--json')).stdout).gates).toEqual([]);
      project.write('out.txt', 'edited once more');
      expect((await exec(project)).stdout).toContain(`approved by ${me} in run ${first}, and this is the very same`);
    });

    it('are told on the page and in the record, also where nothing was done', async () => {
      const project = await approved();
      const [first] = runsOf(project);
      expect(await exec(project, '--force', 'train')).toMatchObject({ code: 0 });
      const second = runsOf(project).at(-1)!;
      expect(second).not.toBe(first);
      expect(await project.run('report')).toMatchObject({ code: 0 });
      const folder = `.autoresearch/default/runs/${second}`;
      const page = project.read(`${folder}/report.html`);
      const section = page.slice(page.indexOf('<section id="gates">'), page.indexOf('<section id="graph">'));
      expect(
        section
          .replace(/<[^>]*>/g, '')
          .replace(/\s+/g, ' ')
          .trim(),
      ).toMatch(
        new RegExp(
          `^Gates build ✓ pass human, not asked again: ${me} answered [-\\d]+ [:\\d]+ UTC in run ${first}, and what was shown then is the very same\\. looks good Evidenceout\\.txt `,
        ),
      );
      expect(project.read(`${folder}/execution.md`)).toMatch(
        new RegExp(
          `\n- build \\(human\\): pass by ${me} in run ${first} \\(.*Z\\), about the very same: looks good \\(journal`,
        ),
      );
      expect((await project.run('verify')).code).toBe(0);
    });

    it('other bytes are asked about', async () => {
      const project = await approved('cat in.txt > out.txt; wc -l < built >> out.txt; echo built >> built');
      project.write('out.txt', 'edited by hand');
      expect(await exec(project)).toMatchObject({ code: 3 });
    });

    it('so is another plan, and another gate', async () => {
      for (const [what, by] of [
        ['echo built', 'echo  built'],
        ['"gate":"human"', '"gate":{"kind":"human","expires":"1d"}'],
      ] as const) {
        const project = await approved();
        const config = project.read('autoresearch.config.json');
        project.write('autoresearch.config.json', config.replace(what, by));
        project.write('out.txt', 'edited by hand');
        expect(await exec(project)).toMatchObject({ code: 3 });
      }
    });

    it('also when something else was approved meanwhile', async () => {
      const project = await approved();
      project.write('in.txt', 'two');
      expect(await exec(project)).toMatchObject({ code: 3 });
      expect(await project.run('approve', 'build')).toMatchObject({ code: 0 });
      expect(await exec(project)).toMatchObject({ code: 0 });
      project.write('in.txt', 'one');
      expect(await exec(project)).toMatchObject({ code: 0 });
    });

    it('the newest decision counts: what was rejected since is asked about', async () => {
      const project = studyOf();
      await exec(project);
      await exec(project, '--new', '--force', 'build');
      const [first, second] = runsOf(project);
      expect(await project.run('approve', 'build', '--run', first!)).toMatchObject({ code: 0 });
      expect(await project.run('reject', 'build', '--run', second!, '--reason', 'no')).toMatchObject({ code: 0 });
      expect(await exec(project)).toMatchObject({ code: 1 });
      expect(await exec(project, '--force', 'build')).toMatchObject({ code: 3 });
      expect(await exec(project, '--new', '--force', 'build')).toMatchObject({ code: 3 });
      expect(project.exists('trained')).toBe(false);
    });

    it('a decision in a journal that is not the one that was noted is no decision', async () => {
      const project = await approved();
      const [first] = runsOf(project);
      const ends = join(project.stateHome, 'autoresearch/ends');
      expect(readdirSync(ends)).toHaveLength(1);
      rmSync(ends, { recursive: true });
      project.write('out.txt', 'edited by hand');
      const again = await exec(project);
      expect([again.code, again.stdout]).toEqual([3, expect.not.stringContaining(first!)]);
    });

    it('a forged run that says so is not believed', async () => {
      const project = studyOf();
      expect(await exec(project)).toMatchObject({ code: 3 });
      const [asked] = events(project, 'gate-opened') as Record<string, unknown>[];
      // As an agent might write it: the same journal under another name, with hashes that are right and an approval in it.
      const lines: ReturnType<typeof seal>[] = [];
      const add = (event: object): void => {
        const { seq, hash: prev } = lines.at(-1)?.entry ?? { seq: -1, hash: firstPrev };
        lines.push(seal(event as never, { seq: seq + 1, at: new Date().toISOString(), prev }));
      };
      const [own] = runsOf(project);
      for (const { seq: _s, at: _a, prev: _p, hash: _h, ...event } of project.journal().slice(0, -1))
        add(JSON.parse(JSON.stringify(event).replaceAll(own!, '0-evil')));
      const { shown, gate, covers, question, planDigest } = asked!;
      add({
        ...{ type: 'gate-decided', task: 'build', attempt: 1, question, verdict: 'pass', reasons: [] },
        ...{ by: { kind: 'person', name: me }, shown, gate, covers, planDigest },
      });
      const forged = join(project.dir, '.autoresearch/default/runs/0-evil');
      mkdirSync(forged);
      writeFileSync(join(forged, 'journal.jsonl'), lines.map(({ line }) => line).join(''));
      const outcomes = JSON.parse((await project.run('runs', '--json')).stdout).map(
        ({ outcome }: { outcome: string }) => outcome,
      );
      expect(outcomes).not.toContain('violated');
      expect(outcomes).toHaveLength(2);
      const { code, stdout } = await exec(project, '--new', '--force', 'build');
      expect([code, stdout]).toEqual([3, expect.not.stringContaining('0-evil')]);
      expect(project.exists('trained')).toBe(false);
    });
  });

  it('a plan that was changed after the approval voids it', async () => {
    const project = studyOf();
    await exec(project);
    await project.run('approve', 'build');
    const config = project.read('autoresearch.config.json');
    project.write(
      'autoresearch.config.json',
      config.replace('"gate":"human"', `"gate":{"kind":"human","expires":"1d"}`),
    );
    const { code, stdout } = await exec(project);
    expect([code, stdout]).toEqual([3, expect.stringContaining(`the gate changed since ${me} decided`)]);
    expect(project.exists('trained')).toBe(false);
  });

  it.each(['autoresearch', 'env -i'])('a task cannot answer the gate of its own project: %s', async (how) => {
    const clean = how === 'env -i' ? 'env -i ' : '';
    const approve = `${clean}${process.execPath} ${bin} approve build --cwd . > said 2>&1; true`;
    const project = studyOf('human', {
      stages: { evil: command(`touch evil-began; while [ ! -e go ]; do sleep 0.05; done; ${approve}`) },
    });
    const running = ended(project.start(['exec', '--reporter', 'plain', '--jobs', '2']));
    await until(() => project.exists('evil-began') && events(project, 'gate-opened').length === 1);
    project.write('go', '');
    expect(await running).toMatchObject({ code: 3 });
    expect(project.read('said')).toContain('AR609 build cannot be answered from inside a task of this project');
    expect(project.exists('trained')).toBe(false);
  });

  it('nobody waits at that name, or several do', async () => {
    const project = studyOf('human', {
      stages: {
        sweep: command('echo x > {{matrix.seed}}.txt', {
          matrix: { seed: [1, 2] },
          gate: 'human',
          needs: [],
          outputs: ['{{matrix.seed}}.txt'],
        }),
      },
    });
    await exec(project);
    expect((await project.run('approve', 'train')).stderr).toMatch(/AR605 train does not wait at a gate in run/);
    for (const args of [['approve'], ['revise', '--feedback', 'more'], ['reject', '--reason', 'no']]) {
      const { code, stderr } = await project.run(args[0]!, 'biuld', ...args.slice(1));
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /AR605 there is no task or stage "biuld" in run 1-\w+\n {4}hint: Did you mean "build"\?\n/,
      );
    }
    const { code, stderr } = await project.run('approve', 'sweep');
    expect([code, stderr]).toEqual([2, expect.stringContaining('AR606 2 tasks of sweep wait at their gates')]);
    expect(await project.run('approve', 'sweep:seed=2')).toMatchObject({ code: 0 });
    expect(await project.run('approve', 'sweep')).toMatchObject({ code: 0 });
  });

  it('words are needed to send back or to reject', async () => {
    const project = studyOf();
    await exec(project);
    expect(await project.run('revise', 'build')).toMatchObject({ code: 2, stderr: expect.stringContaining('AR603') });
    expect(await project.run('reject', 'build', '--reason', '  ')).toMatchObject({ code: 2 });
    expect(events(project, 'gate-decided')).toEqual([]);
  });
});

describe('who may answer, and until when', () => {
  it('the user of the operating system counts, not what variables say', async () => {
    const project = studyOf({ kind: 'human', approvers: ['ada'] });
    await exec(project);
    const child = project.start(['approve', 'build'], { USER: 'ada', LOGNAME: 'ada', USERNAME: 'ada' });
    const { code, stderr } = await ended(child);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`AR607 ${me} may not answer the gate of build`)]);
    expect(await exec(project)).toMatchObject({ code: 3 });
  });

  it('an approver may', async () => {
    const project = studyOf({ kind: 'human', approvers: ['ada', me] });
    await exec(project);
    expect(await project.run('approve', 'build')).toMatchObject({ code: 0 });
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it('a gate that has expired rejects, and takes no late answer', async () => {
    const project = studyOf({ kind: 'human', expires: '1h' });
    await exec(project);
    const shift = {
      NODE_OPTIONS: `--require ${resolve(import.meta.dirname, '../crash/shift-clock.cjs')}`,
      CRASH_SHIFT_MS: '3700000',
    };
    const late = await ended(project.start(['approve', 'build'], shift));
    expect([late.code, late.stderr]).toEqual([
      2,
      expect.stringContaining('AR608 the gate of build could be answered until'),
    ]);
    const { code, stdout } = await ended(project.start(['exec', '--reporter', 'plain'], shift));
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('rejected at its gate by time that ran out: nobody answered within 1h'),
    ]);
    expect(events(project, 'gate-decided')).toMatchObject([{ verdict: 'reject', by: { kind: 'time' } }]);
    expect(project.exists('trained')).toBe(false);
  });

  it('a clock set back below what the journal knows brings no expired gate back', async () => {
    const aside = command('echo made > aside.txt', { outputs: ['aside.txt'], gate: 'human' });
    const project = studyOf({ kind: 'human', expires: '1h' }, { stages: { aside } });
    expect(await exec(project)).toMatchObject({ code: 3 });
    const later = {
      NODE_OPTIONS: `--require ${resolve(import.meta.dirname, '../crash/shift-clock.cjs')}`,
      CRASH_SHIFT_MS: '3700000',
    };
    expect(await ended(project.start(['approve', 'aside'], later))).toMatchObject({ code: 0 });
    const { code, stderr } = await project.run('approve', 'build');
    expect([code, stderr]).toEqual([2, expect.stringContaining('AR608 the gate of build could be answered until')]);
    expect(await exec(project)).toMatchObject({ code: 1 });
    expect(events(project, 'gate-decided').at(-1)).toMatchObject({
      task: 'build',
      verdict: 'reject',
      by: { kind: 'time' },
    });
    expect(project.exists('trained')).toBe(false);
  });
});

describe('a rejection', () => {
  it('exits 1, stays, says what to do, and is got over by doing the work again', async () => {
    const project = studyOf();
    await exec(project);
    expect(await project.run('reject', 'build', '--reason', 'no baseline')).toMatchObject({ code: 0 });
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain(`✗ build  rejected at its gate by ${me}: no baseline`);
    expect(stdout).toContain('autoresearch revise STAGE --feedback TEXT');
    expect(stdout.slice(stdout.indexOf('Next:'))).toBe(
      `Next:
  autoresearch logs build                      its whole output
  autoresearch revise build --feedback 'TEXT'  send it back with words
  autoresearch exec --force build              redo it
`,
    );
    expect((await project.run('approve', 'build')).code).toBe(2);
    expect((await exec(project)).code).toBe(1);
    expect((await exec(project, '--new')).code).toBe(1);
    expect(project.read('built')).toBe('built\n');
    expect((await exec(project, '--force', 'build')).code).toBe(3);
    await project.run('approve', 'build');
    expect((await exec(project)).code).toBe(0);
  });

  it('can be turned into a revision, whose words reach the task', async () => {
    const project = studyOf();
    await exec(project);
    await project.run('reject', 'build', '--reason', 'no');
    expect((await exec(project)).code).toBe(1);
    expect(await project.run('revise', 'build', '--feedback', 'with a baseline')).toMatchObject({ code: 0 });
    expect((await exec(project)).code).toBe(3);
    expect([project.read('out.txt'), project.read('built')]).toEqual(['with a baseline\n', 'built\nbuilt\n']);
    // What was answered first stays told.
    const [run] = runsOf(project);
    expect(project.read(`.autoresearch/default/runs/${run}/execution.md`).match(/^- build \(human\).*$/gm)).toEqual([
      expect.stringContaining(`reject by ${me}: no `),
      expect.stringContaining(`revise by ${me}: with a baseline `),
      expect.stringContaining('build (human)'),
    ]);
  });

  it('is not got over by exec alone, and status says so', async () => {
    const project = studyOf();
    await exec(project);
    await project.run('reject', 'build', '--reason', 'no');
    await exec(project);
    expect((await project.run('status')).stdout).toContain(
      '\nNext: autoresearch logs build   or   autoresearch exec --force build\n',
    );
  });
});

describe('what plan and status say', () => {
  it('plan shows the gate and changes nothing; status has the gates', async () => {
    const project = studyOf({ kind: 'human', approvers: [me] });
    expect((await project.run('plan')).stdout).toContain(`gate    ${me} approves\n`);
    await exec(project);
    const before = project.snapshot();
    const { stdout } = await project.run('plan');
    expect(stdout).toContain('≡ cached build (command)  gate: nobody has decided yet\n');
    expect(project.snapshot()).toEqual(before);
    const status = JSON.parse((await project.run('status', '--json')).stdout);
    expect(status).toMatchObject({
      outcome: 'waiting',
      gates: [
        {
          task: 'build',
          kind: 'human',
          status: 'open',
          approvers: [me],
          evidence: [{ path: 'out.txt' }],
          decision: null,
        },
      ],
    });
    expect((await project.run('status')).stdout).toContain('◆ build waits at its gate for');
    expect((await project.run('why', 'build')).stdout).toContain('gate: nobody has decided yet');
  });

  it('--only does not lead around a gate', async () => {
    const project = studyOf();
    await exec(project);
    const { code, stderr } = await exec(project, '--only', 'train');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('AR604 --only train needs build, whose gate has not passed'),
    ]);
  });

  it('an answer that somebody left under another name is not believed', async () => {
    const project = studyOf({ kind: 'human', approvers: ['ada'] });
    await exec(project);
    const [opened] = events(project, 'gate-opened');
    const dir = join(project.dir, '.autoresearch/default/runs', runsOf(project)[0]!, 'answers');
    const { question, shown, task } = opened as Record<string, string>;
    const forged = { run: runsOf(project)[0], task, question, shown, verdict: 'pass', by: 'ada' };
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, '0123456789abcdef.json'), JSON.stringify(forged));
    expect((await exec(project)).code).toBe(3);
    expect(events(project, 'gate-decided')).toEqual([]);
  });
});

describe('verify', () => {
  it('holds gates against what is there now, and an answer after the end is no tampering', async () => {
    const project = studyOf({ kind: 'human', evidence: ['notes.md'] });
    project.write('notes.md', 'as shown');
    await exec(project);
    await project.run('approve', 'build');
    const waiting = JSON.parse((await project.run('verify', '--json')).stdout);
    expect(waiting).toMatchObject({ outcome: 'failed' });
    await exec(project);
    const { code, stdout } = await project.run('verify', '--json');
    expect([code, JSON.parse(stdout).checks.find(({ id }: { id: string }) => id === 'gate:build')]).toMatchObject([
      0,
      { status: 'passed', detail: `passed by ${me}, and what was shown is as it was` },
    ]);
    project.write('notes.md', 'swapped');
    const swapped = await project.run('verify', '--json');
    expect([
      swapped.code,
      JSON.parse(swapped.stdout).checks.find(({ id }: { id: string }) => id === 'gate:build'),
    ]).toMatchObject([1, { status: 'failed', detail: `notes.md changed since ${me} decided` }]);
  });
});
