import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configYaml, Project } from '../support/project.js';

const study = configYaml(`
data: { uses: command, with: { run: 'echo 1 > data.txt' }, outputs: [data.txt] }
flaky: { uses: command, with: { run: 'test -e tried || { touch tried; echo "connection refused" >&2; exit 1; }; cat data.txt > flaky.txt' }, inputs: [data.txt], outputs: [flaky.txt], retry: { attempts: 3, backoff: 0s } }
bad: { uses: command, needs: [flaky], with: { run: 'echo no such thing; exit 3' } }
after: { uses: command, needs: [bad], with: { run: 'echo after' } }
left: { uses: command, when: 'false', with: { run: 'echo left' } }`);

const recordOf = (project: Project): string[] => {
  const runs = join(project.dir, '.autoresearch/default/runs');
  const [newest] = readdirSync(runs).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  return ['execution.json', 'execution.md'].map((name) => project.read(`.autoresearch/default/runs/${newest}/${name}`));
};

describe('the record that a run leaves at its end, made from what it had at hand', () => {
  it('is the one that report makes from the journal: after a failure, when it goes on, and with all kept', async () => {
    const project = new Project({ 'autoresearch.config.yaml': study });
    for (const code of [1, 1, 0]) {
      if (code === 0) project.write('autoresearch.config.yaml', study.replace('exit 3', 'exit 0'));
      expect((await project.run('exec', '--quiet')).code).toBe(code);
      const left = recordOf(project);
      expect(left[0]).toContain('"flaky"');
      expect((await project.run('report')).code).toBe(0);
      expect(recordOf(project)).toEqual(left);
    }
    expect((await project.run('exec', '--new', '--quiet')).code).toBe(0);
    const left = recordOf(project);
    await project.run('report');
    expect(recordOf(project)).toEqual(left);
  });
});
