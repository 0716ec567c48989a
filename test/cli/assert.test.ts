import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const study = (stages: string, files: Record<string, string> = {}): Project =>
  new Project({ 'autoresearch.config.yaml': `name: study\nstages:\n${stages}`, ...files });

describe('assert', () => {
  it('tells all failures, publishes them and is looked at every time', async () => {
    const project = study(
      `  make: { uses: command, with: { run: 'echo 1 > made' }, outputs: [made] }
  check:
    uses: assert
    with:
      checks: [{ name: made, file: made, contains: '1' }, { name: here, file: here }, { name: code, command: 'exit 4' }]
  after: { uses: command, needs: [check], with: { run: 'echo x >> after' }, outputs: [after] }`,
    );
    const first = await project.run('exec');
    expect(first.code).toBe(1);
    expect(first.stdout).toContain('✗ check  2 of 3 checks failed: here: here is not there (and 1 more)');
    const recorded = project.journal().find(({ type }) => type === 'tests-recorded');
    expect(recorded).toMatchObject({
      task: 'check',
      tests: [
        { name: 'made', status: 'passed' },
        { name: 'here', status: 'failed', detail: 'here is not there' },
        { name: 'code', status: 'failed', detail: 'exit code 4, expected 0' },
      ],
    });
    const status = await project.run('status');
    expect(status.stdout).toContain('  check: 1 of 3 tests passed\n    failed here: here is not there\n');
    const json = JSON.parse((await project.run('status', '--json')).stdout);
    expect(json.tasks.find(({ id }: { id: string }) => id === 'check').tests).toHaveLength(3);
  });

  it('comes after whoever writes the files that it looks at, and spares what follows', async () => {
    const project = study(
      `  check: { uses: assert, with: { checks: [{ file: made }] } }
  make: { uses: command, with: { run: 'echo 1 > made' }, outputs: [made] }
  after: { uses: command, needs: [check], with: { run: 'echo x >> after' }, outputs: [after] }`,
    );
    expect((await project.run('exec')).code).toBe(0);
    const again = await project.run('exec');
    expect(again.stdout).toContain('✓ check');
    expect(again.stdout).toContain('≡ after  cached');
    expect((await project.run('plan')).stdout).toContain('assert looks anew each time');
  });

  it('a checklist of another program decides, and one of an earlier run does not', async () => {
    const stages = `  test: { uses: command, with: { run: './tests' } }
  check: { uses: assert, needs: [test], with: { checks: [{ tests: tests.yaml }] } }`;
    const script = (text: string): string => `#!/bin/sh\n${text}\n`;
    const project = study(stages, {
      tests: script("echo 'tests: [{name: loss falls, status: failed, detail: 4 to 5}]' > tests.yaml"),
    });
    const { chmodSync } = await import('node:fs');
    chmodSync(`${project.dir}/tests`, 0o755);
    const first = await project.run('exec');
    expect(first.stdout).toContain('1 of 1 checks failed: loss falls: 4 to 5');
    project.write('tests.yaml', 'tests: [{name: loss falls, status: passed}]');
    const { utimesSync } = await import('node:fs');
    utimesSync(`${project.dir}/tests.yaml`, 1e9, 1e9);
    project.write('tests', script('exit 0'));
    const second = await project.run('exec', '--new', '--force', 'test');
    expect(second.stdout).toContain('tests.yaml is older than the run');
    expect(second.code).toBe(1);
  });

  it('a behaviour of another lab that passes with a failed test has not passed', async () => {
    const own = (result: string): string =>
      `export default { name: 'own', summary: 'own', version: '1', options: { type: 'object' }, describe: () => ({ summary: 'x' }), run: async () => (${result}) };`;
    const run = async (result: string) =>
      (await study('  a: { uses: ./own.mjs }', { 'own.mjs': own(result) }).run('exec')).stdout;
    expect(await run("{ ok: true, tests: [{ name: 't', status: 'failed', detail: 'no' }] }")).toContain(
      '✗ a  1 of 1 checks failed: t: no',
    );
    expect(await run('{ ok: true, tests: [] }')).toContain('nothing was checked');
    expect(await run("{ ok: true, tests: [{ name: 't', status: 'fine' }] }")).toContain('its tests are not a list of');
    expect(await run('{ ok: true, metrics: { loss: NaN } }')).toContain('its metric loss is NaN, not a number');
    expect(await run("{ ok: true, metrics: { loss: 0.5 }, tests: [{ name: 't', status: 'passed' }] }")).toContain(
      '✓ a',
    );
  });
});
