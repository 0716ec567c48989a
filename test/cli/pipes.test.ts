import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** Whoever opens a pipe waits until somebody writes into it, and nobody does. A command that hangs fails its test. */
function pipe(project: Project, path: string): void {
  const file = join(project.dir, path);
  rmSync(file, { force: true });
  execFileSync('mkfifo', [file]);
}

const looking = [
  ['status'],
  ['status', '--json'],
  ['runs'],
  ['gates'],
  ['cost'],
  ['why', 'make'],
  ['logs', 'make'],
  ['plan'],
  ['verify'],
  ['report'],
  ['report', '--text'],
  ['export', '--out', 'crate'],
  ['exec'],
  ['exec', '--new'],
  ['clean', '--dry-run'],
];

const study = (): Project =>
  new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      stages: {
        make: { uses: 'command', with: { run: 'echo made > made' }, outputs: ['made'] },
        last: { uses: 'command', needs: ['make'], with: { run: 'test -e ok' } },
      },
    }),
  });

describe.runIf(process.platform !== 'win32')('a pipe in the place of a file', () => {
  it.each(['plan.json', 'execution.md', 'execution.json', 'report.html', 'end.json', 'tasks/make/1/stdout.log'])(
    'of a run makes nobody wait: %s',
    { timeout: 120_000 },
    async (name) => {
      const project = study();
      expect((await project.run('exec')).code).toBe(1);
      await project.run('report');
      const { run } = JSON.parse((await project.run('status', '--json')).stdout) as { run: string };
      for (const args of looking) {
        pipe(project, `.autoresearch/default/runs/${run}/${name}`);
        const { code } = await project.run(...args);
        expect([args.join(' '), code]).toEqual([args.join(' '), expect.any(Number)]);
        expect(code).not.toBe(70);
      }
    },
  );

  it('is no journal', async () => {
    const project = study();
    expect((await project.run('exec')).code).toBe(1);
    const { run } = JSON.parse((await project.run('status', '--json')).stdout) as { run: string };
    pipe(project, `.autoresearch/default/runs/${run}/journal.jsonl`);
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(4);
    expect(stderr).toContain('it is not a file');
  });

  it('is nothing that a stage could read', async () => {
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        stages: {
          make: { uses: 'command', with: { run: 'mkfifo m.json' } },
          results: {
            uses: 'extract',
            needs: ['make'],
            with: { metrics: { loss: { from: 'm.json', value: 'loss' } }, to: 'results.yaml' },
            outputs: ['results.yaml'],
          },
        },
      }),
    });
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(1);
    expect(stdout).toContain('m.json');
  });
});
