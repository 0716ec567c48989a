import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** What `--only` leaves alone keeps what it was, and passes for nothing else. */
const chain = (k: number): string => `
name: study
vars: { k: ${k} }
stages:
  a: { uses: command, with: { run: "echo {{vars.k}} > a.txt" }, outputs: [a.txt] }
  b: { uses: command, with: { run: "test -e ok && cat a.txt > b.txt" }, inputs: [a.txt], outputs: [b.txt] }
`;

const gated = (k: number, publish = 'cat s.txt > p.txt'): string => `
name: study
vars: { k: ${k} }
stages:
  train:   { uses: command, env: { K: "{{vars.k}}" }, with: { run: "echo 1 > t.txt" }, outputs: [t.txt] }
  summary: { uses: command, with: { run: "cat t.txt > s.txt" }, inputs: [t.txt], outputs: [s.txt], gate: { kind: human } }
  publish: { uses: command, with: { run: "${publish}" }, inputs: [s.txt], outputs: [p.txt] }
`;

const config = 'autoresearch.config.yaml';
const code = async (project: Project, ...args: readonly string[]): Promise<number | null> =>
  (await project.run(...args)).code;
const parsed = async (project: Project, ...args: readonly string[]) =>
  JSON.parse((await project.run(...args, '--json')).stdout);

describe('a finished task that the edited config makes stale, and that is not asked for', () => {
  async function left(): Promise<Project> {
    const project = new Project({ [config]: chain(1) });
    expect(await code(project, 'exec', '--quiet')).toBe(1);
    project.write('ok', '');
    project.write(config, chain(2));
    const { code: end, stdout } = await project.run('exec', '--only', 'b');
    expect([end, stdout]).toEqual([0, expect.stringContaining('study passed in')]);
    expect(stdout).toContain(': 1 passed, 1 not started\n');
    expect(stdout).toContain('  stale: a\n');
    return project;
  }

  it('does not count as passed, and is no tampering', async () => {
    const project = await left();
    const { checks, outcome } = await parsed(project, 'verify');
    expect(outcome).not.toBe('tampered');
    expect(checks.filter(({ status }: { status: string }) => status !== 'passed')).toEqual([
      {
        kind: 'task',
        id: expect.any(String),
        status: 'failed',
        detail: expect.stringContaining('what it is made from was changed, and it was not done again'),
      },
    ]);
    expect(await code(project, 'verify')).toBe(1);
    expect((await project.run('report', '--text')).stdout).toContain('PARTIAL, because 1 of 2 tasks passed, not all');
    expect((await project.run('status')).stdout).toContain('2 results no longer hold');
  });

  it('is done by the next exec, which does not say that there is nothing to do', async () => {
    const project = await left();
    const { stdout } = await project.run('exec');
    expect(stdout).toContain('study passed in');
    expect(project.read('b.txt')).toBe('2\n');
    expect(await code(project, 'verify')).toBe(0);
    expect((await project.run('exec')).stdout).toContain('nothing to do');
  });
});

describe('a gate that would have to be asked again', () => {
  async function approved(publish?: string): Promise<Project> {
    const project = new Project({ [config]: gated(1, publish), ok: '' });
    expect(await code(project, 'exec', '--quiet')).toBe(3);
    await project.run('approve', 'summary');
    expect(await code(project, 'exec', '--quiet')).toBe(0);
    return project;
  }

  it('is not waited for by who asks for something else', async () => {
    const project = await approved();
    project.write(config, gated(2));
    const { code: end, stdout } = await project.run('exec', '--only', 'train');
    expect(end).toBe(0);
    expect(stdout).toContain('2 skipped (not selected: not asked for): summary and publish');
    expect(stdout).not.toContain('did not pass');
    expect(await code(project, 'exec', '--quiet')).toBe(3);
  });

  it('that this run has asked stays open', async () => {
    const project = await approved();
    project.write(config, gated(2));
    expect(await code(project, 'exec', '--quiet')).toBe(3);
    expect(await code(project, 'exec', '--only', 'train', '--quiet')).toBe(3);
  });

  it('a result that was stale until its needs made the same again is cached, not missing', async () => {
    const project = await approved('test -e ok && cat s.txt > p.txt');
    rmSync(`${project.dir}/ok`);
    expect(await code(project, 'exec', '--force', 'train', '--force', 'publish', '--quiet')).toBe(1);
    project.write('ok', '');
    project.write(config, gated(2, 'test -e ok && cat s.txt > p.txt'));
    const asked = await project.run('exec');
    expect(asked.stdout).toContain('1 passed, 1 cached, 1 skipped');
    await project.run('approve', 'summary');
    expect((await project.run('exec')).stdout).toContain(': 2 passed, 1 cached\n');
    expect(await code(project, 'verify')).toBe(0);
  });
});
