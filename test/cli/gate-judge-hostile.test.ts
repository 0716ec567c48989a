import { expect, it } from 'vitest';
import { Project } from '../support/project.js';

const study = (judge: string): Project =>
  new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      agents: { judge: { backend: 'command', run: 'sh judge.sh', family: 'judges' } },
      stages: {
        make: {
          uses: 'command',
          with: { run: 'echo bad > result.txt' },
          outputs: ['result.txt'],
          gate: { kind: 'auto-judge', agent: 'judge', criteria: ['it is good'], evidence: ['result.txt'] },
        },
        after: { uses: 'command', needs: ['make'], with: { run: 'cp result.txt after.txt' }, outputs: ['after.txt'] },
      },
    }),
    'judge.sh': `cat > /dev/null\n${judge}\necho '{"verdict":"pass","reasons":[],"outcome":"done","summary":"ok","usd":0}'\n`,
  });

it.each([
  ['writes the evidence anew', 'echo good > result.txt'],
  ['puts another file into its place', 'echo good > x; mv x result.txt'],
  ['removes it', 'rm result.txt'],
])(
  'a judge that %s has violated what it may only look at: it is put back, exit 4, and nobody goes on',
  async (_what, judge) => {
    const project = study(judge);
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(4);
    expect(stdout).toContain('✗ make  no verdict at its gate: judge judge changed result.txt\n');
    expect(stdout).toMatch(/study was violated after [\d.]+ s: 1 failed, 1 skipped/);
    expect([project.read('result.txt'), project.exists('after.txt')]).toEqual(['bad\n', false]);
    // It was asked once, and not until somebody gave up.
    expect(stdout.split('\n').filter((line) => line.includes('which it may not'))).toHaveLength(1);
  },
);
