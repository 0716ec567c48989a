import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

/** A name of one byte that no UTF-8 has, which a shell makes more easily than a test. */
const odd = `mkdir -p src; touch "src/$(printf '\\377').py"`;

const studyOf = (): Project =>
  new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      stages: {
        make: { uses: 'command', with: { run: `${odd}; echo 1 > made.txt` }, outputs: ['made.txt'] },
        read: { uses: 'command', needs: ['make'], inputs: ['src/**'], with: { run: 'true' } },
        after: { uses: 'command', needs: ['read'], with: { run: 'true' } },
        beside: { uses: 'command', needs: ['make'], with: { run: 'true' } },
      },
    }),
  });

describe('a name that is not UTF-8', () => {
  it('fails the task that has to look at it; others go on, and the next exec comes to the same', async () => {
    const project = studyOf();
    for (const done of [2, 2]) {
      const { code, stdout, stderr } = await project.run('exec', '--reporter', 'plain');
      expect([code, stderr]).toEqual([1, '']);
      expect(stdout).toContain(`${done} passed, 1 failed, 1 skipped`);
      expect(project.journal().at(-1)).toMatchObject({ type: 'run-finished', outcome: 'failed' });
      const failed = project.journal().filter(({ type }) => type === 'task-failed');
      expect(failed.at(-1)).toMatchObject({ task: 'read', failure: { code: 'name-unreadable' } });
    }
  });
});
