import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended } from '../support/project.js';
import { done, type ReplanSketch, ReplanStudy, tasksYaml, useB } from '../support/replan-study.js';
import { until } from '../support/until.js';

/** Git starts many processes, and others may be at work on this machine. */
const slow = { timeout: 180_000 };

const fixes = (study: ReplanStudy): string =>
  study
    .entries('fix-finished')
    .map(({ ok, summary }) => `${ok}: ${summary}`)
    .join('\n');

const steps = (study: ReplanStudy): unknown[] => study.entries('escalated').map(({ to }) => to);

/** Asked, not taken, put back, and the next one in the list is asked. */
async function expectRefused(planner: string, why: string, more: ReplanSketch = {}): Promise<ReplanStudy> {
  const study = new ReplanStudy({ planner: `${planner}; ${done}`, ...more });
  const before = study.read('design/tasks.yaml');
  const { code } = await study.exec();
  expect([code, fixes(study)]).toEqual([3, expect.stringContaining(why)]);
  expect(fixes(study)).toMatch(/^false: method B it is; not taken: /);
  expect(study.read('design/tasks.yaml')).toBe(before);
  expect(study.entries('task-file-changed')).toEqual([]);
  expect(steps(study)).toEqual(['planner', 'human']);
  expect(study.git('status', '--porcelain')).toBe('');
  expect(study.exists('.autoresearch/default/planning')).toBe(false);
  return study;
}

describe('a planner', slow, () => {
  it('changes the task file when the tries of a task are spent; what is done stays done', async () => {
    const study = new ReplanStudy();
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ build ')]);
    expect(stdout).toContain('build:T1  planner changed design/tasks.yaml: build:T1 (description)\n');
    expect(study.asked('coder')).toEqual(['T0', 'T1', 'T1', 'T2']);
    expect(study.asked('planner')).toEqual(['build:T1']);
    expect(study.note('prompt')).toContain('You may change only: design/tasks.yaml');
    expect(study.note('prompt')).toContain('leave them exactly as they are: T0');
    expect(study.entries('task-file-changed')).toMatchObject([
      {
        task: 'build:T1',
        by: 'planner',
        changed: [{ task: 'build:T1', what: ['description'] }],
        added: [],
        dropped: [],
      },
    ]);
    expect(study.git('status', '--porcelain')).toBe('');
    expect(study.git('log', '-1', '--format=%s', '--', 'design/tasks.yaml').trim()).toBe(
      'build:T1: planner changed the plan',
    );
    expect(await study.run('verify')).toMatchObject({ code: 0 });
    expect((await study.exec()).stdout).toContain('nothing to do');

    // Everybody who looks at the run is told.
    expect((await study.run('status')).stdout).toContain('planner changed design/tasks.yaml: build:T1 (description)');
    const status = JSON.parse((await study.run('status', '--json')).stdout);
    expect(status.planChanges).toMatchObject([{ by: 'planner', files: [{ path: 'design/tasks.yaml' }] }]);
    expect((await study.run('report')).code).toBe(0);
    const [run] = readdirSync(join(study.dir, '.autoresearch/default/runs'));
    for (const file of ['execution.md', 'report.html'])
      expect(study.read(`.autoresearch/default/runs/${run}/${file}`)).toContain('planner changed design/tasks.yaml');
  });

  it('may add tasks and drop such as were not begun', async () => {
    const more = '  - { id: T3, title: Three, files: [src/T3.txt], verify: test -s src/T2.txt }\\n';
    const split = `${useB}; sed -i '/id: T2/d' design/tasks.yaml; printf '${more}' >> design/tasks.yaml`;
    // What T2 was checked by is now what T3 is checked by.
    const study = new ReplanStudy({
      planner: `${split}; sed -i 's/id: T3, title: Three, files: .src.T3/id: T3, title: Three, depends_on: [T1], files: [src\\/T3/' design/tasks.yaml; ${done}`,
      files: { 'src/T2.txt': 'there\n' },
    });
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect(study.asked('coder')).toEqual(['T0', 'T1', 'T1', 'T3']);
    expect(study.entries('task-file-changed')).toMatchObject([{ added: ['build:T3'], dropped: ['build:T2'] }]);
    expect(await study.run('verify')).toMatchObject({ code: 0 });
  });

  it('may change a file that another stage has made: that stage neither runs again nor counts as tampered with', async () => {
    const study = new ReplanStudy({
      stages: making,
      files: { 'tasks.tmpl': tasksYaml, 'design/tasks.yaml': tasksYaml },
    });
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect(study.entries('task-file-changed')).toMatchObject([{ amended: [{ task: 'design' }] }]);
    expect(study.entries('task-started').filter(({ task }) => task === 'design')).toHaveLength(1);
    const verified = await study.run('verify', '--json');
    expect([verified.code, JSON.parse(verified.stdout).checks]).toEqual([
      0,
      expect.arrayContaining([
        expect.objectContaining({
          id: expect.stringContaining('design/tasks.yaml'),
          detail: 'as a planner changed it after design had made it',
        }),
      ]),
    ]);
    expect((await study.exec()).stdout).toContain('nothing to do');
    // Also a run of its own takes it over as it is.
    expect(await study.exec('--new')).toMatchObject({ code: 0 });
    expect(study.entries('task-skipped').map(({ task }) => task)).toContain('design');
    expect(await study.run('verify')).toMatchObject({ code: 0 });
    // Whoever changes it by hand after that has changed what is there.
    study.write('design/tasks.yaml', `${study.read('design/tasks.yaml')}# mine\n`);
    const again = await study.run('verify');
    expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('was changed after a planner changed it')]);
  });

  it('voids what a gate said of the file: it is asked again before the work goes on', async () => {
    const design = { ...making.design, gate: 'human' };
    const study = new ReplanStudy({ stages: { design }, files: { 'tasks.tmpl': tasksYaml } });
    expect((await study.exec()).code).toBe(3);
    expect((await study.run('approve', 'design')).code).toBe(0);
    const { code, stdout } = await study.exec();
    expect([code, stdout]).toEqual([3, expect.stringContaining('design/tasks.yaml changed since')]);
    expect(study.asked('coder')).toEqual(['T0', 'T1']);
    expect((await study.run('approve', 'design')).code).toBe(0);
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect(study.asked('coder')).toEqual(['T0', 'T1', 'T1', 'T2']);
    expect(await study.run('verify')).toMatchObject({ code: 0 });
  });

  it('may write in the checkout while others are at work in their worktrees, and one after the other', async () => {
    const beside = `${tasksYaml}  - { id: T4, title: Four, description: use method A, files: [src/T4.txt], verify: grep -q B src/T4.txt }
  - { id: T5, title: Five, files: [src/T5.txt], verify: 'until [ "$(grep -c method.B design/tasks.yaml)" = 2 ] || [ -e "$DONE" ]; do sleep 0.1; done' }
`;
    const study = new ReplanStudy({
      // Each for its own task.
      planner: `id=\${AUTORESEARCH_TASK#*:}; sed -i "/id: $id,/s/method A/method B/" design/tasks.yaml; ${done}`,
      files: { 'design/tasks.yaml': beside },
      stage: { env: { DONE: '{{vars.done}}' } },
      config: { vars: { done: '' } },
    });
    const child = study.start(['exec', '--jobs', '3', '--set', `done=${join(study.notes, 'done')}`]);
    const end = ended(child);
    const timesAsked = (who: 'coder' | 'planner', ...tasks: string[]) =>
      study.asked(who).filter((task) => tasks.includes(task)).length;
    await until(() => timesAsked('planner', 'build:T1', 'build:T4') > 0);
    await until(() => timesAsked('planner', 'build:T1', 'build:T4') === 2);
    await until(() => timesAsked('coder', 'T1') === 2);
    await until(() => timesAsked('coder', 'T4') === 2);
    writeFileSync(join(study.notes, 'done'), '');
    expect(await end).toMatchObject({ code: 0 });
    expect(study.asked('coder').filter((task) => task === 'T5')).toHaveLength(1);
    expect(await study.run('verify')).toMatchObject({ code: 0 });
  });

  it('is waited for by who begins meanwhile: a file in no commit is not yet one of a person', async () => {
    const waits = `${tasksYaml.replace('method A', 'method B').replace('verify: test -s src/T0.txt', `verify: 'until [ -e "$EDITED" ]; do sleep 0.1; done'`)}  - { id: T4, title: Four, description: use method A, files: [src/T4.txt], verify: grep -q B src/T4.txt }
`;
    // T1 begins when T0 is done, which is when the file lies changed; the planner goes on some time after that.
    const seen = `until grep -q '"task-started","task":"build:T1"' .autoresearch/default/runs/*/journal.jsonl; do sleep 0.1; done; sleep 2`;
    const study = new ReplanStudy({
      planner: `${useB}; touch "$NOTES/edited"; ${seen}; ${done}`,
      files: { 'design/tasks.yaml': waits },
      stage: { env: { EDITED: '{{vars.edited}}' } },
      config: { vars: { edited: '' } },
    });
    const end = await study.exec('--jobs', '3', '--set', `edited=${join(study.notes, 'edited')}`);
    expect(`${end.code} ${end.stdout}`).toMatch(/^0 /);
    expect(study.entries('task-failed').map(({ task }) => task)).toEqual(['build:T4']);
    expect(study.asked('planner')).toEqual(['build:T4']);
  });

  it('is not taken for somebody else who ends while it is in the middle of the file', async () => {
    const beside = `${tasksYaml}  - { id: T5, title: Five, files: [src/T5.txt], verify: 'until [ -e "$EDITED" ]; do sleep 0.1; done' }\n`;
    const study = new ReplanStudy({
      planner: `${useB}; touch "$NOTES/edited"; until [ -s design/T5-SUMMARY.md ]; do sleep 0.1; done; ${done}`,
      files: { 'design/tasks.yaml': beside },
      stage: { env: { EDITED: '{{vars.edited}}' } },
      config: { vars: { edited: '' } },
    });
    const end = ended(study.start(['exec', '--jobs', '3', '--set', `edited=${join(study.notes, 'edited')}`]));
    expect(await end).toMatchObject({ code: 0 });
    expect(study.asked('coder').filter((task) => task === 'T5')).toHaveLength(1);
  });

  it('may mend a file that could not be planned, and add what was missing when all tasks are done', async () => {
    const broken = new ReplanStudy({
      stages: making,
      files: { 'tasks.tmpl': tasksYaml.replace('[T0]', '[T9]').replace('method A', 'method B') },
      planner: `sed -i 's/\\[T9\\]/[T0]/' design/tasks.yaml; ${done}`,
    });
    expect(await broken.exec()).toMatchObject({ code: 0 });
    expect(broken.asked('planner')).toEqual(['build:tasks']);
    expect(await broken.run('verify')).toMatchObject({ code: 0 });

    const missing = '  - { id: T3, title: Three, files: [src/T3.txt], verify: test -s src/T3.txt }\\n';
    const short = new ReplanStudy({
      files: { 'design/tasks.yaml': tasksYaml.replace('method A', 'method B') },
      stage: {
        with: {
          from: 'design/tasks.yaml',
          verify: 'test ! -e src/T2.txt || test ! -s design/T2-SUMMARY.md || test -s src/T3.txt',
        },
      },
      planner: `printf '${missing}' >> design/tasks.yaml; ${done}`,
    });
    expect(await short.exec()).toMatchObject({ code: 0 });
    expect([short.asked('planner'), short.asked('coder')]).toEqual([['build'], ['T0', 'T1', 'T2', 'T3']]);
    expect(await short.run('verify')).toMatchObject({ code: 0 });
  });

  it('needs no worktrees; then nothing is committed', async () => {
    const study = new ReplanStudy({ stage: { isolation: 'none', scope: ['src/**', 'design/*-SUMMARY.md'] } });
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect(study.asked('coder')).toEqual(['T0', 'T1', 'T1', 'T2']);
    expect(study.git('log', '--format=%s').trim()).toBe('first');
    expect(await study.run('verify')).toMatchObject({ code: 0 });
  });

  it('may change what its stage protects from those who carry it out, while none of them is at work', async () => {
    const protect = ['design/tasks.yaml'];
    const plain = { isolation: 'none', scope: ['src/**', 'design/*-SUMMARY.md'], protect };
    const study = new ReplanStudy({ stage: { ...plain, parallel: 1 } });
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect(study.entries('task-file-changed')).toHaveLength(1);
    expect(await study.run('verify')).toMatchObject({ code: 0 });
    // Others could begin meanwhile, or have it in their worktrees as it was.
    const beside = `${tasksYaml}  - { id: T5, title: Five, files: [src/T5.txt], verify: test -s src/T5.txt }\n`;
    for (const stage of [plain, { protect }]) {
      const refused = new ReplanStudy({ stage, planner: done, files: { 'design/tasks.yaml': beside } });
      expect((await refused.exec('--jobs', '1')).code).toBe(3);
      expect(refused.note('prompt')).not.toContain('You may change only: design/tasks.yaml');
    }
  });

  it('may not change what the study protects: then it mends within the scope of the task', async () => {
    const study = new ReplanStudy({
      config: { protect: ['design/tasks.yaml'] },
      planner: `echo "made with B" > src/T1.txt; ${done}`,
    });
    // The coder, asked once more, does as the file says.
    expect((await study.exec()).code).toBe(3);
    expect(study.note('prompt')).not.toContain('You may change only: design/tasks.yaml');
    expect(study.entries('task-file-changed')).toEqual([]);
    const greedy = new ReplanStudy({ config: { protect: ['design/tasks.yaml'] } });
    const before = greedy.read('design/tasks.yaml');
    expect([(await greedy.exec()).code, greedy.read('design/tasks.yaml')]).toEqual([4, before]);
  });

  it('that rejects nothing but answers "failed" leaves everything as it is', async () => {
    const study = new ReplanStudy({ planner: `${useB}; echo '{"outcome":"failed","summary":"no idea"}'` });
    expect((await study.exec()).code).toBe(3);
    expect(study.read('design/tasks.yaml')).toBe(tasksYaml);
    expect(fixes(study)).toBe('false: no idea');
    expect(steps(study)).toEqual(['planner', 'human']);
  });
});

const making = {
  design: {
    uses: 'command',
    with: { run: 'mkdir -p design; cp tasks.tmpl design/tasks.yaml' },
    inputs: ['tasks.tmpl'],
    outputs: ['design/tasks.yaml'],
    commit: 'Design',
  },
};

describe('a planner that goes too far', slow, () => {
  it('is undone where it writes something else, and ends the run', async () => {
    const study = new ReplanStudy({ planner: `${useB}; echo pass > src/T1.txt; ${done}` });
    expect((await study.exec()).code).toBe(4);
    expect([study.exists('src/T1.txt'), study.read('design/tasks.yaml')]).toEqual([false, tasksYaml]);
    expect(study.entries('task-failed').at(-1)).toMatchObject({
      failure: { code: 'scope-violated', files: ['src/T1.txt'] },
    });
  });

  it('is undone where the file is broken, and the next one is asked, with what is wrong', async () => {
    await expectRefused(`echo 'tasks: [' > design/tasks.yaml`, 'design/tasks.yaml:');
    await expectRefused(`sed -i 's/\\[T1\\]/[T9]/' design/tasks.yaml`, 'T9');
  });

  it('may not take away what a task is checked by', async () => {
    const none = await expectRefused(
      `sed -i 's/grep -q B src.T1.txt/test 1/' design/tasks.yaml`,
      'the check "grep -q B src/T1.txt" of build:T1 is not in it any more: only a person may ask less',
    );
    expect((await none.run('status')).stdout).not.toContain('planner changed');
    const musts = tasksYaml.replace(
      'verify: grep -q B src/T1.txt',
      'must_haves: { artifacts: [{ path: src/T1.txt, contains: B }] }',
    );
    await expectRefused(`sed -i 's/, must_haves: .*/, verify: "true" }/' design/tasks.yaml`, 'the artefact', {
      files: { 'design/tasks.yaml': musts },
    });
  });

  it('may not do so by way of a task that is done and checked by the same', async () => {
    const same = tasksYaml
      .replace('verify: test -s src/T0.txt', 'verify: sh check.sh')
      .replace('verify: grep -q B src/T1.txt', 'verify: sh check.sh');
    const study = await expectRefused(
      `sed -i '/id: T1/s/sh check.sh/test 1/' design/tasks.yaml`,
      'the check "sh check.sh" of build:T1',
      { files: { 'design/tasks.yaml': same, 'check.sh': 'test ! -e src/T1.txt\n' } },
    );
    expect(study.asked('coder')).toEqual(['T0', 'T1']);
  });

  it('may neither change nor drop what is done, nor drop what failed', async () => {
    await expectRefused(
      `${useB}; sed -i 's/title: Zero/title: Nil/' design/tasks.yaml`,
      'build:T0 is done or under way, and has to stay as it is',
    );
    await expectRefused(
      `${useB}; sed -i '/id: T0/d; s/depends_on: .T0., //' design/tasks.yaml`,
      'build:T0 is done or under way, and is not in it any more',
    );
    await expectRefused(
      `sed -i '/id: T1/d; s/depends_on: .T1., /depends_on: [T0], /; s/test -s src.T2.txt/grep -q B src\\/T1.txt/' design/tasks.yaml`,
      'build:T1 is what failed, and is not in it any more',
    );
  });

  it('may not take out a person', async () => {
    const asked = tasksYaml.replace('id: T2, title: Two', 'id: T2, title: Two, autonomous: false');
    const files = { 'design/tasks.yaml': asked };
    await expectRefused(`sed -i 's/, autonomous: false//' design/tasks.yaml`, 'a person takes part in build:T2', {
      files,
    });
  });

  it('may not put something else in the place of the file', async () => {
    await expectRefused(
      `cp design/tasks.yaml "$NOTES/other"; ln -sf "$NOTES/other" design/tasks.yaml; sed -i 's/method A/method B/' "$NOTES/other"`,
      'design/tasks.yaml has to stay a file',
    );
  });

  it('may not write what says that a task is done', async () => {
    const study = new ReplanStudy({
      planner: `${useB}; sed 's/T0/T1/' design/T0-SUMMARY.md > design/T1-SUMMARY.md; ${done}`,
    });
    expect((await study.exec()).code).toBe(4);
    expect(study.read('design/tasks.yaml')).toBe(tasksYaml);
    expect(study.entries('task-failed').at(-1)).toMatchObject({
      failure: { code: 'scope-violated', files: ['design/T1-SUMMARY.md'] },
    });
  });

  it('is ended by its limits, and undone', async () => {
    const study = new ReplanStudy({
      planner: `${useB}; sleep 600`,
      config: {
        agents: {
          coder: { backend: 'command', run: './coder.sh' },
          planner: { backend: 'command', run: './planner.sh', limits: { timeout: '1s' } },
        },
      },
    });
    expect((await study.exec()).code).toBe(3);
    expect(study.read('design/tasks.yaml')).toBe(tasksYaml);
    expect(steps(study)).toEqual(['planner', 'human']);
  });

  it('cannot go on for ever: every change may bring a task that fails, and there are three', async () => {
    const another = `n=$(wc -l < "$NOTES/planner")
printf '  - { id: X%s, title: More, description: use method A, files: [src/X%s.txt], verify: grep -q B src/X%s.txt }\\n' $n $n $n >> design/tasks.yaml`;
    const study = new ReplanStudy({ planner: `${another}; ${done}` });
    expect((await study.exec('--jobs', '1')).code).toBe(3);
    expect(study.entries('task-file-changed')).toHaveLength(3);
    expect(study.asked('planner')).toHaveLength(3);
    expect(fixes(study)).toContain(
      'false: nobody was asked: the task files of build have been changed 3 times in this run',
    );
  });
});

describe('a runner that dies while somebody plans', slow, () => {
  it('finds the file half written, and puts it back before it reads the study', async () => {
    const study = new ReplanStudy({
      planner: `[ -e "$NOTES/go" ] || { echo 'tasks: [' > design/tasks.yaml; touch "$NOTES/wrote"; sleep 600; }; ${useB}; ${done}`,
    });
    const child = study.start(['exec']);
    const end = ended(child);
    await until(() => existsSync(join(study.notes, 'wrote')));
    child.kill('SIGKILL');
    await end;
    expect(study.read('design/tasks.yaml')).toBe('tasks: [\n');
    const { stderr, code } = await study.exec();
    expect(stderr).toContain('design/tasks.yaml is as it was before somebody was asked about build:T1');
    // It was asked and paid; it is not asked twice. One more try, then the next one.
    expect([code, study.asked('planner').length, study.read('design/tasks.yaml')]).toEqual([3, 1, tasksYaml]);
    expect(steps(study)).toEqual(['planner', 'human']);
    expect(study.exists('.autoresearch/default/planning')).toBe(false);
  });

  it('that is told to stop puts it back at once; what a person writes after that is theirs', async () => {
    const study = new ReplanStudy({ planner: `${useB}; touch "$NOTES/wrote"; sleep 600` });
    const child = study.start(['exec']);
    const end = ended(child);
    await until(() => existsSync(join(study.notes, 'wrote')));
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    expect([study.read('design/tasks.yaml'), study.exists('.autoresearch/default/planning')]).toEqual([
      tasksYaml,
      false,
    ]);
    const mine = tasksYaml.replace('use method A', 'use method B, as I say');
    study.write('design/tasks.yaml', mine);
    study.git('commit', '-qam', 'mine');
    expect(await study.exec()).toMatchObject({ code: 0 });
    expect([study.read('design/tasks.yaml'), study.asked('coder')]).toEqual([mine, ['T0', 'T1', 'T1', 'T2']]);
    expect(await study.run('verify')).toMatchObject({ code: 0 });
  });

  it('does not believe a copy that somebody has changed', async () => {
    const study = new ReplanStudy({
      planner: `echo broken > design/tasks.yaml; for copy in .autoresearch/default/runs/*/tasks/build:T1/1/task-files-planner/*; do echo 'tasks: []' > "$copy"; done; touch "$NOTES/wrote"; sleep 600`,
    });
    const child = study.start(['exec']);
    const end = ended(child);
    await until(() => existsSync(join(study.notes, 'wrote')));
    child.kill('SIGKILL');
    await end;
    const { code, stderr } = await study.exec();
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('the copy of a task file is not the one that the journal tells of'),
    ]);
    expect(study.read('design/tasks.yaml')).toBe('broken\n');
  });
});
