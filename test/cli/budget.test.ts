import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** A stage that always fails, and an agent that is asked to mend it: each call reports 0.40 USD and may cost 0.50. */
const config = (budget: string): string => `name: study
agents:
  fixer: { backend: command, run: 'sh fix.sh', limits: { usd: 0.5 } }
budget: { ${budget} }
stages:
  build:
    uses: command
    with: { run: 'exit 3' }
    retry: { attempts: 9, fix: fixer }
`;
const fix = `#!/bin/sh
cat > /dev/null
echo call >> calls.txt
if [ -e hang ]; then sleep 60; fi
echo '{"outcome":"done","summary":"tried","usd":0.4}'
`;

class Study extends Project {
  constructor(budget: string) {
    super({ 'autoresearch.config.yaml': config(budget) });
    this.write('fix.sh', fix);
  }

  async spent(agentId = 'default'): Promise<Record<string, number>> {
    return JSON.parse((await this.run('cost', '--json', '--agent-id', agentId)).stdout).total;
  }

  calls(): number {
    return this.exists('calls.txt') ? this.read('calls.txt').split('\n').length - 1 : 0;
  }
}

const hour = 3_600_000;
/** Of some day: a test that was begun just before midnight would have two of them. */
const noon = Date.UTC(2030, 0, 15, 12);
const clockAt = (atMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--require ${resolve(import.meta.dirname, '../crash/shift-clock.cjs')}`,
  CRASH_SHIFT_MS: String(atMs - Date.now()),
});

describe('a budget', () => {
  it('ends the run with 5, and neither a resume nor a second one resets it', async () => {
    const study = new Study('usdPerRun: 1');
    const first = await study.run('exec', '--reporter', 'plain');
    expect(first.code).toBe(5);
    expect(first.stdout + first.stderr).toContain(
      'budget.usdPerRun is 1 USD, of which 0.8 USD is spent, and what comes next may cost 0.5 USD',
    );
    expect(study.calls()).toBe(2);
    expect((await study.run('exec')).code).toBe(5);
    expect((await study.run('exec')).code).toBe(5);
    expect(study.calls()).toBe(2);
    expect(await study.spent()).toMatchObject({ usd: 0.8, calls: 2, assumedUsd: 0 });
  });

  it('is shared by the day over runs and agent ids', async () => {
    const study = new Study('usdPerDay: 1');
    const exec = async (atMs: number, ...args: string[]): Promise<number | null> =>
      (await ended(study.start(['exec', ...args], clockAt(atMs)))).code;
    expect(await exec(noon)).toBe(5);
    expect(await exec(noon, '--new')).toBe(5);
    expect(await exec(noon, '--agent-id', 'other')).toBe(5);
    expect(study.calls()).toBe(2);
    expect(await study.spent('other')).toMatchObject({ usd: 0, calls: 0 });
    // A day is over at midnight (UTC), and not after 24 hours; the one before is not forgotten when the clock is set back.
    expect(await exec(noon + 11 * hour)).toBe(5);
    expect(study.calls()).toBe(2);
    expect(await exec(noon + 13 * hour)).toBe(5);
    expect(study.calls()).toBe(4);
    expect(await exec(noon)).toBe(5);
    expect(study.calls()).toBe(4);
  });

  it('counts what a killed runner had under way as all that it might cost', async () => {
    const study = new Study('usdPerRun: 0.9');
    study.write('hang', '');
    const child = study.start(['exec']);
    const end = ended(child);
    await until(() => study.calls() === 1);
    child.kill('SIGKILL');
    await end;
    expect((await study.run('exec')).code).toBe(5);
    expect(study.calls(), 'no call was made again').toBe(1);
    expect(await study.spent()).toMatchObject({ usd: 0.5, assumedUsd: 0.5, calls: 1, unsettledCalls: 1 });
  });

  it('whose ledger somebody removed is not full again', async () => {
    const study = new Study('usdPerRun: 1');
    expect((await study.run('exec')).code).toBe(5);
    rmSync(`${study.dir}/.autoresearch/default/ledger.jsonl`);
    expect(await study.spent()).toMatchObject({ usd: 0.8, calls: 2 });
    expect((await study.run('exec')).code).toBe(5);
    expect(study.calls()).toBe(2);
  });
});

describe('a reply that cost more than it may have', () => {
  const study = (budget: string, usd: number): Project =>
    new Project({
      'autoresearch.config.yaml': `name: study
agents:
  coder: { backend: command, run: sh coder.sh, limits: { usd: 0.1 } }
${budget}
stages:
  first: { uses: agent, agent: coder, with: { instructions: Do it., verify: 'true' }, outputs: [first.txt], scope: [first.txt] }
  then: { uses: agent, agent: coder, needs: [first], with: { instructions: Do it., verify: 'true' }, outputs: [then.txt], scope: [then.txt] }
`,
      'coder.sh': `cat > /dev/null
case $AUTORESEARCH_TASK in first) usd=${usd};; *) usd=0.05;; esac
echo done > $AUTORESEARCH_TASK.txt
echo '{"outcome":"done","summary":"did it","usd":'$usd'}'
`,
    });
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.includes('limits.usd is'));

  it('passes, and is told in the view, the summary, status, the record and the page', async () => {
    const project = study('', 0.7);
    const words = 'first  coder (author) cost 0.7 USD, and limits.usd is 0.1 USD';
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(0);
    // As soon as it is known, and at the end.
    expect(lines(stdout)).toEqual([`⚠ ${words}`, `  ⚠ ${words}`]);
    expect(lines((await project.run('status')).stdout)).toEqual([`  ⚠ ${words}`]);
    const { run, overspent } = JSON.parse((await project.run('status', '--json')).stdout);
    expect(overspent).toEqual([{ task: 'first', role: 'author', agent: 'coder', usd: 0.7, capUsd: 0.1 }]);
    const folder = `.autoresearch/default/runs/${run}`;
    const record = project.read(`${folder}/execution.md`);
    expect(record).toMatch(
      /\n## Warnings\n\n- first: coder \(author\) cost 0.7 USD, and limits.usd is 0.1 USD \(journal.jsonl:\d+\)\n/,
    );
    expect(JSON.parse(project.read(`${folder}/execution.json`)).warnings).toEqual([
      { task: 'first', what: 'cost', text: words.replace('first  ', ''), line: expect.any(Number) },
    ]);
    await project.run('report');
    expect(project.read(`${folder}/report.html`).replace(/<[^>]*>/g, '')).toContain(
      'over its limit first: coder (author) cost 0.7 USD, and limits.usd is 0.1 USD',
    );
    expect((await project.run('verify')).code).toBe(0);
  });

  it('names the ceiling that it crossed, and the next call is refused', async () => {
    const project = study('budget: { usdPerRun: 0.5 }', 0.7);
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(5);
    expect(lines(stdout)[0]).toBe(
      '⚠ first  coder (author) cost 0.7 USD, and limits.usd is 0.1 USD; budget.usdPerRun is 0.5 USD, of which 0.7 USD is spent: no further call starts under it',
    );
    expect(stdout).toContain('✗ then  could not go on: budget.usdPerRun is 0.5 USD, of which 0.7 USD is spent');
    expect(project.exists('then.txt')).toBe(false);
  });

  it('says nothing of what stayed within its limits, to the last cent', async () => {
    const project = study('budget: { usdPerRun: 0.2 }', 0.1);
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(0);
    expect(stdout).not.toContain('⚠');
    expect(JSON.parse((await project.run('status', '--json')).stdout)).not.toHaveProperty('overspent');
  });
});
