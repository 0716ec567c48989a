import { describe, expect, it } from 'vitest';
import { Study } from '../study.js';

const name = 'code-task';
const claims = { coder: 'hostile.mjs claims' };

describe('the preset code-task, replayed', () => {
  it('does the work, is told what the verification says, and reports what was measured', async () => {
    const study = new Study(name);
    const { code, stdout, stderr } = await study.exec('--replay');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^✓ implement .*attempt 2/m);
    expect(code).toBe(0);
    expect(study.events('task-failed')).toMatchObject([{ task: 'implement', failure: { code: 'command-failed' } }]);
    expect(study.read('reports/work-package/changes.txt')).toBe('docs/stats.md:4-4\nsrc/stats.mjs:6-18\n');
    expect(study.read('reports/work-package/report.md')).toContain(
      '## Files\n\n- docs/stats.md:4-4\n- src/stats.mjs:6-18\n',
    );
    expect(JSON.parse(study.read('reports/work-package/checks.json'))).toEqual({
      tests: [
        { name: 'the report names every change', status: 'passed' },
        { name: 'the verification still passes', status: 'passed' },
      ],
    });
    expect(study.events('spend-recorded').map(({ usd }) => usd)).toEqual([0, 0, 0]);
    expect(study.git('status', '--porcelain').split('\n')).toEqual([
      ' M docs/stats.md',
      ' M src/stats.mjs',
      '?? reports/',
    ]);
    const again = await study.exec('--replay');
    expect([again.code, study.events('agent-invoked').length]).toEqual([0, 3]);
  });
});

describe('the preset code-task, with coders that cannot be trusted', () => {
  it('success that is only claimed is a failure: the circuit breaks after 3 fix rounds, and there is no report', async () => {
    const study = new Study(name);
    const { code, stdout } = await study.execScripted(claims);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ implement');
    expect(study.events('agent-completed')).toHaveLength(4);
    expect(study.events('task-failed')).toHaveLength(4);
    expect(study.exists('reports/work-package/report.md')).toBe(false);
    expect(study.read('logs/errors.log').match(/implement/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it('a file outside of the scope is put back and ends the run: the tests cannot be made weaker', async () => {
    const study = new Study(name);
    const before = study.read('test/stats.mjs');
    const { code, stdout, stderr } = await study.execScripted({ coder: 'hostile.mjs weakens-tests test/stats.mjs' });
    expect(code).toBe(4);
    expect(`${stdout}${stderr}`).toContain('test/stats.mjs');
    expect(study.read('test/stats.mjs')).toBe(before);
    expect(study.exists('reports/work-package/report.md')).toBe(false);
  });

  it('a report that leaves a change out is not accepted', async () => {
    const study = new Study(name);
    const { code, stdout } = await study.execScripted({ coder: 'hostile.mjs half-report' });
    expect(code).toBe(1);
    expect(stdout).toContain(
      'the report names every change: exit code 1, expected 0: src/stats.mjs:6-15 is missing in the report',
    );
  });

  it('a coder that needs other files is not tried again, and says which', async () => {
    const study = new Study(name);
    const { code, stdout, stderr } = await study.execScripted({ coder: 'hostile.mjs rescope' });
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('src/constants.mjs');
    expect(study.events('agent-invoked')).toHaveLength(1);
  });

  it('changes that are in no commit are not taken for the work of the coder', async () => {
    const study = new Study(name);
    study.write('src/stats.mjs', `${study.read('src/stats.mjs')}// mine\n`);
    const { code, stdout } = await study.execScripted(claims);
    expect(code).toBe(1);
    expect(stdout).toContain('the scope has changes that are in no commit');
    expect(study.events('agent-invoked')).toEqual([]);
  });

  it('with a tester, the tests come first and the coder cannot change them', async () => {
    const config = (verify: string) => ({
      'autoresearch.config.yaml': `name: median
extends: ["autoresearch:code-task"]
vars: { task: Add a median., files: ["src/**", "test/**"], tester: agent, test_files: [test/median.mjs], verify: ${verify} }
`,
    });
    const sound = new Study(name, config('node test/median.mjs'));
    const passed = await sound.execScripted({ tester: 'tester.mjs', coder: 'hostile.mjs works' });
    expect([passed.code, passed.stderr]).toEqual([0, '']);
    expect(sound.events('task-finished').map(({ task }) => task)).toEqual([
      'scope',
      'tests',
      'implement',
      'changes',
      'report',
      'complete',
    ]);

    const hostile = new Study(name, config('node test/median.mjs'));
    const caught = await hostile.execScripted({
      tester: 'tester.mjs',
      coder: 'hostile.mjs weakens-tests test/median.mjs',
    });
    expect(caught.code).toBe(4);
    expect(hostile.read('test/median.mjs')).toContain('2.5');
  });
});

describe('the preset code-task, set wrongly', () => {
  it('every number has its bounds', async () => {
    const study = new Study(name);
    const { code, stderr } = await study.exec('--set', 'helpers=4', '--set', 'tries=0');
    expect(code).toBe(2);
    expect(stderr).toContain('vars.helpers must be a whole number from 0 to 3, but is 4');
    expect(stderr).toContain('vars.tries must be a whole number from 1 to 10, but is 0');
  });
});
