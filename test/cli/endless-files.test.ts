import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** Would be read for the better part of an hour, and takes no room. */
function endless(file: string): void {
  closeSync(openSync(file, 'w'));
  truncateSync(file, 2 ** 40);
}

const isReading = (pid: number, file: string): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== file) return false;
        // Not only opened: in the middle of it.
        return !/^pos:\s+0$/m.test(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
};

/** Much longer than a second, for a machine that is busy; much shorter than reading it. */
const patienceMs = 60_000;

describe.runIf(process.platform === 'linux')('a file of a terabyte', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('among the outputs does not keep a run from ending on %s', async (signal, code) => {
    const stage = { uses: 'command', with: { run: 'truncate -s 1T big' }, outputs: ['big'] };
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({ name: 'study', stages: { make: stage } }),
    });
    const runner = project.start(['exec', '--reporter', 'plain']);
    await until(() => isReading(runner.pid!, `${project.dir}/big`));
    const since = performance.now();
    runner.kill(signal);
    expect(await ended(runner)).toMatchObject({ code });
    expect(performance.now() - since).toBeLessThan(patienceMs);
    rmSync(`${project.dir}/big`);
    expect(project.journal().at(-1)).toMatchObject({ type: 'run-finished', outcome: 'cancelled', signal });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'among the inputs does not, either, and the run goes on later: %s',
    async (signal) => {
      const stage = { uses: 'command', with: { run: 'cat small > made' }, inputs: ['big', 'small'], outputs: ['made'] };
      const project = new Project({
        'autoresearch.config.json': JSON.stringify({ name: 'study', stages: { use: stage } }),
        small: 'small\n',
      });
      endless(`${project.dir}/big`);
      const runner = project.start(['exec', '--reporter', 'plain']);
      await until(() => isReading(runner.pid!, `${project.dir}/big`));
      const since = performance.now();
      const over = new Promise<string | null>((resolve) => runner.once('exit', (_code, by) => resolve(by)));
      runner.kill(signal);
      expect(await over).toBe(signal);
      expect(performance.now() - since).toBeLessThan(patienceMs);
      truncateSync(`${project.dir}/big`, 5);
      expect(await project.run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
      expect(project.read('made')).toBe('small\n');
    },
  );
});
