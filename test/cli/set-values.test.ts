import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const study = (): Project =>
  new Project({
    'autoresearch.config.yaml': `name: study
vars: { n: 3, word: none }
clusters: { box: { type: local, slots: 1, poll: 50ms } }
stages:
  first: { uses: command, with: { run: 'echo {{vars.n}} >first.txt' }, outputs: [first.txt] }
  train:
    on: box
    needs: [first]
    uses: command
    with: { run: 'echo {{vars.n}} >>ran; until [ -e go ]; do sleep 0.05; done; echo {{vars.n}} {{vars.word}} >out.txt' }
    outputs: [out.txt]
`,
  });

/** A run whose job goes on without it. */
async function letGo(project: Project, ...set: readonly string[]): Promise<string> {
  const child = project.start(['exec', '--reporter', 'plain', ...set.flatMap((value) => ['--set', value])]);
  const end = ended(child);
  await until(() => project.exists('ran'));
  child.kill('SIGINT');
  const { stdout, stderr } = await end;
  return stdout + stderr;
}

const jobOf = (project: Project): string =>
  project.journal().find(({ type }) => type === 'job-submitted')!.id as string;

describe('a run with values of its own that was stopped while its job goes on', () => {
  it('is told by status with its job and with what has to be typed, as the stop had told it', async () => {
    const project = study();
    const stopped = await letGo(project, 'n=30', 'word=two words');
    const next = "autoresearch exec --set 'n=30' --set 'word=two words'";
    const job = jobOf(project);
    const kept = `one job goes on: ${job} on box (train). ${next} takes it up again; autoresearch cancel ends it.`;
    expect(stopped).toContain(kept);
    expect(stopped).toContain(`  ${next}  go on; what passed is kept`);
    const { stdout } = await project.run('status');
    expect(stdout).toContain(`  ${kept}\n`);
    expect(stdout).toContain(`○ train  was stopped by SIGINT, its job ${job} on box goes on\n`);
    expect(stdout).toMatch(new RegExp(`^Next: ${next}$`, 'm'));
    // With those values nothing is stale.
    expect(stdout).not.toContain('no longer hold');
    const json = JSON.parse((await project.run('status', '--json')).stdout);
    expect(json).toMatchObject({
      set: ['n=30', 'word=two words'],
      jobs: [{ task: 'train', cluster: 'box', id: job, submitted: 'yes', heldUp: null }],
      next: [next],
      stale: [],
    });
    expect((await project.run('runs')).stdout).toMatch(/ set\n.* n=30 word=two words\n$/);
    expect((await project.run('doctor')).stdout).toContain(`→ ${next}\n`);
    project.write('go', '');
    const again = await project.run('exec', '--reporter', 'plain', '--set', 'n=30', '--set', 'word=two words');
    expect(again.code, again.stdout).toBe(0);
    expect(again.stdout).not.toMatch(/^ {2}(set|changed):/m);
    expect([project.read('ran'), project.read('out.txt')]).toEqual(['30\n', '30 two words\n']);
  });

  it.each([
    [[], 'this call goes on without it'],
    [['n=31'], "this call goes on with --set 'n=31' instead"],
  ])('says that it goes on with other values: %j', async (now, words) => {
    const project = study();
    await letGo(project, 'n=30');
    project.write('go', '');
    const set = now.flatMap((value) => ['--set', value]);
    const { code, stdout } = await project.run('exec', '--reporter', 'plain', ...set);
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^study: going on with run .*\n {2}set: the run was started with --set 'n=30'; ${words} \\(autoresearch exec --set 'n=30' goes on as it was\\)\n {2}changed: `,
      ),
    );
  });

  it('is what an answered gate says to go on with', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
vars: { n: 3 }
stages: { ask: { uses: command, with: { run: 'echo {{vars.n}} >a.txt' }, outputs: [a.txt], gate: human } }
`,
    });
    expect((await project.run('exec', '--set', 'n=30')).code).toBe(3);
    expect((await project.run('approve', 'ask')).stdout).toContain("; go on with: autoresearch exec --set 'n=30'\n");
  });

  it('says the name of a secret instead of its value, so that it can be typed', async () => {
    const project = study();
    const env = { LAB_TOKEN: 'pa$$word' };
    const child = project.start(['exec', '--reporter', 'plain', '--set', 'word=x-pa$$word'], env);
    const end = ended(child);
    await until(() => project.exists('ran'));
    child.kill('SIGINT');
    await end;
    const { stdout } = await ended(project.start(['status'], env));
    expect(JSON.stringify(project.journal())).not.toContain('pa$$word');
    expect(stdout).not.toContain('pa$$word');
    expect(stdout).toMatch(/^Next: autoresearch exec --set 'word=x-'"\$LAB_TOKEN"$/m);
    project.write('go', '');
    const typed = await ended(project.start(['exec', '--reporter', 'plain', '--set', `word=x-${env.LAB_TOKEN}`], env));
    expect(typed.stdout).not.toMatch(/^ {2}(set|changed):/m);
    expect(typed.code, typed.stdout).toBe(0);
  });
});
