import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { pageNumbers, wrongNumbers } from '../support/page-numbers.js';
import { Project } from '../support/project.js';

/** Rewards, which may be below zero: of `wins` nobody can doubt that it is better, of `loses` that it is not, of `even` nothing is known. */
const rewards = {
  base: [-5.1, -4.9, -5.2, -5, -4.8],
  wins: [-1.1, -1.2, -0.9, -1, -1.3],
  even: [-5.4, -4.5, -5.3, -4.2, -5.6],
  loses: [-9.2, -9.1, -8.9, -9, -9.3],
};

const study = (change = (text: string): string => text): Project =>
  new Project({
    'autoresearch.config.yaml': change(`name: study
parity:
  alike: { arms: { base: base.json, wins: wins.json }, params: ['run.*'] }
stages:
  train:
    uses: command
    matrix: { seed: [1, 2, 3] }
    with: { run: 'for arm in base wins; do echo "{\\"run\\": {\\"lr\\": -0.5, \\"seed\\": {{matrix.seed}} } }" > used-$arm-{{matrix.seed}}.json; done' }
    outputs: ['used-base-{{matrix.seed}}.json', 'used-wins-{{matrix.seed}}.json']
  as-run:
    uses: parity
    matrix: { seed: [1, 2, 3] }
    with: { check: alike, resolved: { base: 'used-base-{{matrix.seed}}.json', wins: 'used-wins-{{matrix.seed}}.json' } }
  compare:
    uses: compare
    needs: [as-run]
    with: { results: results.yaml, metric: reward, better: higher, baseline: base, to: comparison.json, report: comparison.md }
    inputs: [results.yaml]
    outputs: [comparison.json, comparison.md]
`),
    'base.json': '{"run":{"lr":-0.5}}',
    'wins.json': '{"run":{"lr":-0.5}}',
    'results.yaml': `runs:\n${Object.entries(rewards)
      .flatMap(([arm, values]) =>
        values.map((reward, at) => `  - { arm: ${arm}, seed: ${at + 1}, metrics: { reward: ${reward} } }`),
      )
      .join('\n')}\n`,
  });

const runDir = (project: Project): string => {
  const runs = join(project.dir, '.autoresearch/default/runs');
  return join(runs, readdirSync(runs).sort().at(-1)!);
};

describe.skipIf(!hasBrowser)('what was asked and what was found', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function reported(project: Project): Promise<Page> {
    const { code, stderr } = await project.run('report');
    expect(code, stderr).toBe(0);
    const page = await browser.newPage();
    await page.setContent(readFileSync(join(runDir(project), 'report.html'), 'utf8'));
    return page;
  }

  it('stand at the top, coloured by the answer; that the run finished is said beside', async () => {
    const project = study();
    const { code, stderr } = await project.run('exec');
    expect(code, stderr).toBe(0);
    const page = await reported(project);
    // Nothing but the title comes before.
    expect(await page.locator('h1 + *').getAttribute('class')).toContain('answer');
    const told = await page.locator('header .answer').evaluateAll((all) =>
      all.map((one) => ({
        kind: one.className,
        asked: one.querySelector('.asked')!.textContent,
        badge: one.querySelector('.badge')!.textContent,
        edge: getComputedStyle(one).borderLeftColor,
      })),
    );
    expect(told.map(({ kind, asked, badge }) => [kind, asked, badge])).toEqual([
      ['answer good', 'Claim: “wins has a higher reward than base”', '✓ supported'],
      ['answer warn', 'Claim: “even has a higher reward than base”', '! inconclusive'],
      ['answer bad', 'Claim: “loses has a higher reward than base”', '✗ not supported'],
    ]);
    expect(new Set(told.map(({ edge }) => edge)).size).toBe(3);
    const header = (await page.locator('header').textContent())!;
    expect(header).toContain('The run finished: all 8 tasks passed.');
    expect(header).not.toContain('SUCCESS');
    expect(await page.locator('header .badge.good').count()).toBe(1);
    expect(header).toMatch(/improvement \+3\.9, \S+ % interval \+\S+ to \+\S+, 5 seeds\. how/);
    await page.close();
  });

  it('the table has the mean of each arm, minus is one sign, and every number leads to its line', async () => {
    const project = study();
    await project.run('exec');
    const page = await reported(project);
    const means = await page.locator('#comparison tbody tr:last-child').allInnerTexts();
    expect(means[0]!.split(/\s+/)).toEqual(['mean', '−5', '−1.1', '+3.9']);
    const shown = (await page.locator('header, #comparison, #tasks').allInnerTexts()).join('\n');
    expect(shown).toContain('−9.2');
    expect(shown).not.toMatch(/(^|\s)-\d/);
    expect(project.read('comparison.md')).toMatch(/\| mean \| −5 \| −1\.1 \| \+3\.9 \|/);
    const numbers = await pageNumbers(page);
    expect(numbers.bare).toEqual([]);
    const lineOf = (path: string, line: number): string =>
      readFileSync(path === 'journal.jsonl' ? join(runDir(project), path) : join(project.dir, path), 'utf8').split(
        '\n',
      )[line - 1] ?? '';
    expect(wrongNumbers(numbers, lineOf)).toEqual([]);
    await page.close();
  });

  it('execution.md and --text begin with both', async () => {
    const project = study();
    await project.run('exec');
    const { stdout } = await project.run('report', '--text');
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(
        /^ANSWER: "wins has a higher reward than base": supported \(improvement \+3\.9, .*, 5 seeds\)$/,
      ),
      expect.stringMatching(/^ANSWER: "even has a higher reward than base": inconclusive \(/),
      expect.stringMatching(/^ANSWER: "loses has a higher reward than base": not supported \(improvement −4\.1, /),
      'STATUS: SUCCESS',
    ]);
    const lines = readFileSync(join(runDir(project), 'execution.md'), 'utf8').split('\n');
    expect(lines[0]).toMatch(/^# study, run 1-\w+$/);
    expect(lines[2]).toMatch(/^- wins has a higher reward than base: \*\*supported\*\* \(.*; comparison\.json:\d+\)$/);
    expect(lines.slice(5, 7)).toEqual(['', 'The run: SUCCESS, all 8 tasks passed.']);
    expect((await project.run('verify')).code).toBe(0);
  });

  it('of a file that was edited since, nobody calls what it says an answer', async () => {
    const project = study();
    await project.run('exec');
    project.write('comparison.json', project.read('comparison.json').replaceAll('inconclusive', 'supported'));
    const page = await reported(project);
    expect(await page.locator('header .answer .badge').allInnerTexts()).toEqual(
      Array(3).fill('✗ not what the run made'),
    );
    await page.close();
    expect((await project.run('report', '--text')).stdout).toMatch(
      /^ANSWER: "wins .*": not known, comparison\.json is not what the run made; it now says supported\n/,
    );
  });

  it('parity tables that are alike are one, and the others are folded; what differs stands alone', async () => {
    const project = study();
    await project.run('exec');
    const page = await reported(project);
    expect(await page.locator('#validation > article > h3 .task').allInnerTexts()).toEqual([
      'as-run:seed=1',
      'parity-alike',
    ]);
    expect(await page.locator('#validation summary').textContent()).toBe(
      '2 more with the same parameters, all of them equal or excepted',
    );
    expect(await page.locator('#validation details table').count()).toBe(2);
    expect(await page.locator('#validation details table').first().isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('#validation details table').first().isVisible()).toBe(true);
    await page.close();

    const differing = study((text) =>
      text
        .replace('for arm in base wins', '[ {{matrix.seed}} = 2 ] && lr=-0.4; for arm in base wins')
        .replace('-0.5, ', '$([ $arm = wins ] && echo ${lr:--0.5} || echo -0.5), '),
    );
    expect((await differing.run('exec')).code).toBe(1);
    const other = await reported(differing);
    expect(await other.locator('#validation > article > h3').allInnerTexts()).toEqual([
      expect.stringMatching(/as-run:seed=1.*passed/),
      expect.stringMatching(/as-run:seed=2.*failed/),
      expect.stringMatching(/parity-alike.*passed/),
    ]);
    await other.close();
  });

  it('where nothing was compared, the last task is quoted; a run that failed is said to have', async () => {
    const behaviour = (summary: string): string =>
      `export default { name: 'x', summary: 'x', version: '1', options: {}, describe: () => ({ summary: 'x', reads: [], writes: [] }), run: async () => ({ ok: true, summary: ${JSON.stringify(summary)} }) };`;
    const project = new Project({
      'autoresearch.config.yaml': `name: study
stages:
  first: { uses: ./first.ts }
  last: { uses: ./last.ts, needs: [first] }`,
      'first.ts': behaviour('0 of 3'),
      'last.ts': behaviour('even is nearer in -3 of 3 seeds'),
    });
    const { code, stderr } = await project.run('exec');
    expect(code, stderr).toBe(0);
    const page = await reported(project);
    expect(await page.locator('header .answer').allInnerTexts()).toEqual([
      'last, at the end of the study: “even is nearer in −3 of 3 seeds”',
    ]);
    expect(await page.locator('header .badge').count()).toBe(0);
    await page.close();
    expect((await project.run('report', '--text')).stdout).toMatch(/^STATUS: SUCCESS\n/);

    const failing = new Project({
      'autoresearch.config.yaml': 'name: study\nstages: { a: { uses: command, with: { run: "false" } } }',
    });
    await failing.run('exec');
    const red = await reported(failing);
    expect(await red.locator('header .answer').count()).toBe(0);
    expect(await red.locator('header .badge.bad').textContent()).toBe('✗ FAILED');
    await red.close();
  });

  it('columns of what follows from several lines are wide enough for their words', async () => {
    const project = study();
    await project.run('exec');
    const page = await reported(project);
    await page.setViewportSize({ width: 1000, height: 900 });
    const widths = await page
      .locator('table.reckoned th')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    expect(Math.min(...widths.slice(1))).toBeGreaterThan(180);
    await page.close();
  });
});
