import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const study = (text: string): Project => new Project({ 'autoresearch.config.yaml': `name: study\n${text}` });

/** An agent that is a shell script: it reads its prompt and prints a reply. */
const agent = (script: string): string => JSON.stringify(`cat >> prompts.txt; ${script}`);
const reply = (object: object): string => `echo '${JSON.stringify(object)}'`;

const steps = (project: Project): unknown[] =>
  project.journal().flatMap((entry) => (entry.type === 'escalated' ? [[entry.to, entry.attempt]] : []));
const failures = (project: Project): number =>
  project.journal().filter(({ type, counted }) => type === 'task-failed' && counted).length;

const told = `
  a:
    uses: command
    with: { run: 'test "$AUTORESEARCH_FEEDBACK" = "use B" || { echo "ValueError: A" >&2; exit 3; }; echo B > out' }
    outputs: [out]
    retry: { attempts: 2 }`;

describe('instructions', () => {
  it('spent tries wait for them, whoever starts it again; with them it passes', async () => {
    const project = study(`escalate: [instructions, human]\nstages:${told}`);
    const { code, stdout } = await project.run('exec');
    const run = String(project.journal()[0]!.run);
    expect(code).toBe(3);
    expect(stdout).toContain('a  exited with code 3; a person is asked for instructions\n');
    expect(stdout).toContain(
      `a waits for the instructions of a person: exited with code 3\n  autoresearch revise a --run ${run} --feedback 'TEXT'\n`,
    );
    expect(failures(project)).toBe(2);

    // Nothing but words helps: neither another exec nor an approval.
    expect((await project.run('exec')).code).toBe(3);
    expect(failures(project)).toBe(2);
    const approved = await project.run('approve', 'a', '--run', run);
    expect(approved.code).toBe(2);
    expect(approved.stderr).toContain(
      'a has failed: there is nothing to approve or to reject, it waits for instructions',
    );
    expect(approved.stderr).toContain(`Give them: autoresearch revise a --run ${run} --feedback 'TEXT'`);
    expect((await project.run('gates')).stdout).toContain(`autoresearch revise a --run ${run} --feedback 'TEXT'`);

    // Whoever forces it has it tried anew, and is then asked anew.
    expect((await project.run('exec', '--force', 'a')).code).toBe(3);
    expect(failures(project)).toBe(4);

    const words = await project.run('revise', 'a', '--run', run, '--feedback', 'use B');
    expect({ code: words.code, said: words.stdout.replace(/by \S+;/, 'by X;') }).toEqual({
      code: 0,
      said: `Told: a of run ${run}, by X; go on with: autoresearch exec\n`,
    });
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('out')).toBe('B\n');
    expect(steps(project)).toEqual([
      ['instructions', 2],
      ['instructions', 4],
    ]);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('can be given while the runner lives', async () => {
    const project = study(
      `escalate: [instructions]\nstages:${told}\n  b: { uses: command, with: { run: 'touch b-began; until test -e out; do sleep 0.05; done' } }`,
    );
    const exec = project.start(['exec', '--jobs', '2']);
    const end = ended(exec);
    await until(() => project.exists('b-began') && project.journal().some(({ type }) => type === 'gate-opened'));
    const words = await project.run('revise', 'a', '--feedback', 'use B');
    expect(words.stdout).toContain('the run goes on with it');
    expect((await end).code).toBe(0);
  });
});

describe('a mistake of design', () => {
  it('ends the tries at once and goes along the list', async () => {
    const wrong = reply({ outcome: 'escalate', reason: 'design', summary: 'the loss has the wrong sign' });
    const right = `grep -q "flip the sign" prompts.txt && { echo ok > out; ${reply({ outcome: 'done', summary: 'flipped' })}; } || ${wrong}`;
    const project = study(`escalate: [planner, instructions, human]
agents:
  coder: { backend: command, run: ${agent(right)} }
  planner: { backend: command, run: ${agent(wrong)} }
stages:
  a: { uses: agent, agent: coder, with: { instructions: Train it }, outputs: [out], retry: { attempts: 5 } }`);
    const { code } = await project.run('exec');
    expect(code).toBe(3);
    expect(failures(project)).toBe(1);
    expect(project.journal().find(({ type }) => type === 'task-failed')).toMatchObject({ errorClass: 'design' });
    expect(steps(project)).toEqual([
      ['planner', 1],
      ['instructions', 1],
    ]);
    expect((await project.run('revise', 'a', '--feedback', 'flip the sign')).code).toBe(0);
    expect((await project.run('exec')).code).toBe(0);
    expect(failures(project)).toBe(1);
  });
});
