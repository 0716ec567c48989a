import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alive } from '../adapters/command/room.js';
import { FakeBatch } from '../support/fake-batch.js';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const stateOf = async (project: Project): Promise<Record<string, unknown>> =>
  JSON.parse((await project.run('status', '--json')).stdout);

const study = (stage: string, head = ''): string =>
  `name: study\nclusters:\n  box: { type: local, slots: 2, gpus: 1, poll: 50ms }\n${head}stages:\n  train:\n${stage.replace(/^/gm, '    ')}\n`;

const held = study(`uses: command
on: box
with: { run: 'echo x >>ran; until [ -e go ]; do sleep 0.02; done; echo made >out.txt' }
inputs: [data.txt]
outputs: [out.txt]`);

const heldStudy = (): Project => new Project({ 'autoresearch.config.yaml': held, 'data.txt': '1' });
const types = (project: Project): unknown[] => project.journal().map(({ type }) => type);

describe('a run with jobs', () => {
  it('lets go of its job when it is stopped, and takes it up again', async () => {
    const project = heldStudy();
    const child = project.start(['exec', '--reporter', 'plain']);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGINT');
    const stopped = await end;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(
      /^one job goes on: (ar-\S+) on box \(train\)\. autoresearch exec takes it up again; autoresearch cancel ends it\.\n$/,
    );
    // It comes to its end while nobody is there.
    project.write('go', '');
    await until(() => project.exists('out.txt'));
    const again = await project.run('exec', '--reporter', 'plain');
    expect(again.code, again.stdout).toBe(0);
    expect(project.read('ran')).toBe('x\n');
    expect(types(project).filter((type) => type === 'job-submitting')).toHaveLength(1);
    expect((await stateOf(project)).outcome).toBe('passed');
  });

  it('goes by itself with --detach, once everything else is done', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `${held}  other: { uses: command, with: { run: 'sleep 0.3; echo y >other.txt' } }\n`,
      'data.txt': '1',
    });
    const away = await project.run('exec', '--detach', '--reporter', 'plain');
    expect(away.code, away.stdout).toBe(3);
    expect(away.stderr).toMatch(/^one job goes on: /);
    expect(project.exists('other.txt')).toBe(true);
    project.write('go', '');
    expect((await project.run('exec', '--detach')).code).toBe(0);
    expect(project.read('ran')).toBe('x\n');
    const nothing = new Project({
      'autoresearch.config.yaml': 'name: s\nstages: { a: { uses: command, with: { run: "true" } } }\n',
    });
    expect(await nothing.run('exec', '--detach')).toMatchObject({ code: 2, stderr: expect.stringContaining('AR604') });
  });

  it('ends its job when it is cancelled, and submits another one afterwards', async () => {
    const project = heldStudy();
    const end = ended(project.start(['exec', '--reporter', 'silent']));
    await until(() => project.exists('ran'));
    const { code, stdout } = await project.run('cancel');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Ended one job: ar-\S+ on box \(train\)\.\n$/);
    expect((await end).code).toBe(143);
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('ran')).toBe('x\nx\n');
  });

  it('ends jobs that nobody looks after any more', async () => {
    const project = heldStudy();
    const child = project.start(['exec', '--reporter', 'silent']);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGKILL');
    await end;
    expect((await project.run('cancel')).stdout).toMatch(/Ended one job: /);
    // Once more: there is nothing left to do.
    expect((await project.run('cancel')).stdout).not.toContain('Ended');
    const finished = project.journal().filter(({ type }) => type === 'job-finished');
    expect(finished).toMatchObject([{ how: 'cancelled' }]);
  });

  it('does not take the result of a job for other inputs', async () => {
    const project = heldStudy();
    const child = project.start(['exec', '--reporter', 'silent']);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGINT');
    await end;
    project.write('data.txt', '2');
    project.write('go', '');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('ran')).toBe('x\nx\n');
    expect(project.journal().filter(({ type }) => type === 'job-finished')).toMatchObject([
      { how: 'replaced' },
      { how: 'completed' },
    ]);
  });

  it('ends the jobs of the run before when it starts afresh', async () => {
    const project = heldStudy();
    const child = project.start(['exec', '--reporter', 'silent']);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGINT');
    await end;
    const [old] = project.journal().filter(({ type }) => type === 'job-submitting');
    project.write('go-later', '');
    const fresh = ended(project.start(['exec', '--new', '--reporter', 'silent']));
    await until(() => project.read('ran') === 'x\nx\n');
    project.write('go', '');
    expect((await fresh).code).toBe(0);
    expect(project.journal().find(({ type }) => type === 'job-submitting')!.tag).not.toBe(old!.tag);
  });

  it('ends a job that takes longer than its stage may', async () => {
    const project = new Project({
      'autoresearch.config.yaml': study(
        `uses: command\non: box\ntimeout: 1s\nwith: { run: 'echo $$ >pid; sleep 600' }`,
      ),
    });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ train  timed out after 1.0 s');
    expect(project.journal().filter(({ type }) => type === 'job-finished')).toMatchObject([{ how: 'cancelled' }]);
    // On a busy machine it may have been ended before it could say which process it is.
    expect(project.exists('pid') && project.read('pid') !== '' && alive(Number(project.read('pid')))).toBe(false);
  });

  it('fails as its command would have here, with its log', async () => {
    const project = new Project({
      'autoresearch.config.yaml': study(`uses: command\non: box\nwith: { run: 'echo why >&2; exit 3' }`),
    });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ train  exited with code 3');
    expect(stdout).toContain('  │ why\n');
  });

  it('does not call a job a success that left no output', async () => {
    const project = new Project({
      'autoresearch.config.yaml': study(`uses: command\non: box\nwith: { run: 'true' }\noutputs: [out.txt]`),
    });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toContain('did not write its output out.txt');
  });

  it('starts no job for which too few GPU-hours are left', async () => {
    const stage = `uses: command\non: box\nmatrix: { n: [1, 2, 3] }\nresources: { gpus: 1, time: 30m }\nwith: { run: 'true' }`;
    const project = new Project({ 'autoresearch.config.yaml': study(stage, 'budget: { gpuHours: 1.2 }\n') });
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code, stdout).toBe(5);
    expect(project.journal().filter(({ type }) => type === 'job-submitting')).toHaveLength(2);
    expect(project.journal().find(({ type }) => type === 'budget-spent')).toMatchObject({
      ceiling: 'budget.gpuHours',
      limit: 1.2,
      wanted: 0.5,
    });
    // What was used stands in the ledger, as GPU-hours of jobs and not as calls of agents.
    const cost = JSON.parse((await project.run('cost', '--json')).stdout);
    expect(cost.total ?? cost.spend ?? cost).toMatchObject({ calls: 0 });
    const lines = project
      .read('.autoresearch/default/ledger.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ type }) => type === 'settled')).toHaveLength(2);
    expect(lines.every(({ type, gpuHours }) => type !== 'settled' || gpuHours > 0)).toBe(true);
    // By now both have ended, and what they have not used is free for the third.
    expect((await project.run('exec', '--reporter', 'silent')).code).toBe(0);
  });
});

/** A cluster of the type `commands`, whose programs do what the test says; each of them is a Node that has to start first. */
function batchStudy(more = '', run = 'echo x >>ran; echo made >out.txt'): { project: Project; batch: FakeBatch } {
  const project = new Project({});
  const batch = new FakeBatch(project.dir);
  project.write(
    'autoresearch.config.yaml',
    `name: study
passEnv: [FAKE_BATCH]
clusters:
  hpc:
    type: commands
    poll: 100ms
    commandTimeout: 8s
    patience: 1m
    submit: batch submit {{job.tag}} {{job.script}}
    id: ^Your job (\\d+)
    find: batch find {{job.tag}}
    state: batch state {{job.id}}
    states: { running: ^state=r$, completed: ^state=C$, failed: ^state=F$, cancelled: ^state=K$, gone: does not exist }
    cancel: batch cancel {{job.id}}
${more}stages:
  train: { uses: command, on: hpc, with: { run: '${run}' }, outputs: [out.txt] }
`,
  );
  return { project, batch };
}

describe('a scheduler that does not do what it should', () => {
  const exec = async ({ project, batch }: { project: Project; batch: FakeBatch }) =>
    ended(project.start(['exec', '--reporter', 'plain'], batch.env));

  it('takes the job and hangs: the job is found by its tag, and is not submitted a second time', async () => {
    const room = batchStudy();
    room.batch.next('submit late');
    const { code, stdout } = await exec(room);
    expect(code, stdout).toBe(0);
    expect(room.project.read('ran')).toBe('x\n');
    expect(room.batch.calls.filter((call) => call.startsWith('batch submit'))).toHaveLength(1);
    expect(room.project.journal().find(({ type }) => type === 'job-submitted')).toMatchObject({ found: true });
  });

  it('hangs without taking the job: it is submitted again once nobody knows the tag', async () => {
    const room = batchStudy();
    room.batch.next('submit hang');
    const { code, stdout } = await exec(room);
    expect(code, stdout).toBe(0);
    expect(room.project.read('ran')).toBe('x\n');
    const verbs = room.batch.calls.map((call) => call.split(' ')[1]).filter((verb) => verb !== 'state');
    expect(verbs).toEqual(['submit', 'find', 'find', 'submit']);
  });

  it('answers garbage for ever: that is waited for, and then is a failure that says so', async () => {
    const room = batchStudy();
    const config = room.project.read('autoresearch.config.yaml');
    const garbage = config.replace('state: batch state {{job.id}}', 'state: echo 502');
    room.project.write('autoresearch.config.yaml', garbage.replace('patience: 1m', 'patience: 1s'));
    const { code, stdout } = await exec(room);
    expect(code).toBe(1);
    expect(stdout).toContain(
      '✗ train  nobody can say what became of job 1 on hpc: state printed "502", which none of "states" fits',
    );
    expect(room.project.journal().find(({ type }) => type === 'job-finished')).toMatchObject({ how: 'lost' });
  });

  it('says completed of a job that never ran: without its own exit file that is no success', async () => {
    const room = batchStudy();
    const config = room.project.read('autoresearch.config.yaml');
    const liar = config.replace('submit: batch submit {{job.tag}} {{job.script}}', "submit: 'echo Your job 7 ok'");
    room.project.write(
      'autoresearch.config.yaml',
      liar.replace('state: batch state {{job.id}}', 'state: echo state=C').replace('patience: 1m', 'patience: 1s'),
    );
    writeFileSync(join(room.project.dir, 'out.txt'), 'from before');
    const { code, stdout } = await exec(room);
    expect(code).toBe(1);
    expect(stdout).toContain('but the job left no exit file, so nobody knows that its command came to its end');
  });

  it('has forgotten a job that ended: its own exit file is believed', async () => {
    const room = batchStudy();
    const config = room.project.read('autoresearch.config.yaml');
    room.project.write(
      'autoresearch.config.yaml',
      config.replace('state: batch state {{job.id}}', "state: 'echo job does not exist; exit 1'"),
    );
    const { code, stdout } = await exec(room);
    expect(code, stdout).toBe(0);
    expect(room.project.journal().find(({ type }) => type === 'job-finished')).toMatchObject({
      how: 'completed',
      exitCode: 0,
      detail: 'the scheduler has no record of the job; its own exit file is what is known',
    });
  });

  it('is silent for a while: the job is found again, and nothing is lost', async () => {
    const room = batchStudy('', 'echo x >>ran; sleep 1; echo made >out.txt');
    room.batch.next('state hang');
    const { code, stdout } = await exec(room);
    expect(code, stdout).toBe(0);
    expect(room.project.read('ran')).toBe('x\n');
    const states = room.project.journal().filter(({ type }) => type === 'job-state-changed');
    expect(states.map(({ state }) => state)).toContain('unreachable');
  });
});
