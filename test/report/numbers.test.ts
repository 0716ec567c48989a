import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { Crate } from '../support/crate.js';
import { brokenRules } from '../support/crate-rules.js';
import { LoopProject } from '../support/loop-project.js';
import { holds, type LineText, type PageNumbers, pageNumbers, wrongNumbers } from '../support/page-numbers.js';
import { ended, Project } from '../support/project.js';

const root = resolve(import.meta.dirname, '../..');

/** The lines as they are on the disk, not as the page shows them. */
function linesOf(project: Project): LineText {
  const texts = new Map<string, string[]>();
  return (path, line) => {
    if (!texts.has(path)) texts.set(path, readFileSync(fileOf(project, path), 'utf8').split('\n'));
    return texts.get(path)![line - 1] ?? '';
  };
}

const runDir = (project: Project): string => {
  const runs = join(project.dir, '.autoresearch/default/runs');
  return join(runs, readdirSync(runs).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]!);
};

const fileOf = (project: Project, path: string): string =>
  path === 'journal.jsonl' ? join(runDir(project), path) : join(project.dir, path);

/** A study in which much goes wrong: whatever a page can say of that is said. */
function troubledStudy(): Project {
  const log = [1, 2, 3].map(
    (step) => `{"step":${step},"loss":${step === 2 ? 'null' : 4 / step},"step_time":0.${step}}`,
  );
  const project = new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'troubled',
      agents: {
        told: { backend: 'command', run: './agent.sh 0.25', family: 'meta' },
        silent: { backend: 'command', run: './agent.sh', family: 'meta' },
      },
      stages: {
        many: { uses: 'command', matrix: { n: Array.from({ length: 205 }, (_, n) => n) }, with: { run: 'true' } },
        log: {
          uses: 'command',
          with: { run: `printf '%s\\n' '${log.join("' '")}' > log.jsonl` },
          outputs: ['log.jsonl'],
        },
        flaky: {
          uses: 'command',
          with: { run: 'test -f mended && echo 1 > out.txt' },
          outputs: ['out.txt'],
          retry: { attempts: 2, fix: { run: 'touch mended' } },
        },
        late: { uses: 'command', with: { run: 'sleep 30' }, timeout: '1s' },
        after: { uses: 'command', needs: ['late'], with: { run: 'echo 2' } },
        never: { uses: 'command', when: 'false', with: { run: 'echo 3' } },
        ask: { uses: 'agent', agent: 'told', with: { instructions: 'Write a1.txt.' }, outputs: ['a1.txt'] },
        again: { uses: 'agent', agent: 'told', with: { instructions: 'Write a2.txt.' }, outputs: ['a2.txt'] },
        hush: { uses: 'agent', agent: 'silent', with: { instructions: 'Write a3.txt.' }, outputs: ['a3.txt'] },
      },
    }),
    'agent.sh':
      '#!/bin/sh\nfile=$(grep -o "a[123]\\.txt" | head -1)\necho 7 > "$file"\necho "{\\"outcome\\":\\"done\\",\\"summary\\":\\"wrote 1 file of 7\\"${1:+,\\"usd\\":$1}}"\n',
  });
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  return project;
}

describe.skipIf(!hasBrowser)('every number of a report', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  async function numbersOf(html: string): Promise<PageNumbers> {
    const page = await browser.newPage();
    await page.setContent(html);
    const found = await pageNumbers(page);
    await page.close();
    return found;
  }

  it('of the example research leads to the line that it comes from, and that line holds it', async () => {
    const project = new Project({});
    cpSync(join(root, 'autoresearch.config.ts'), join(project.dir, 'autoresearch.config.ts'));
    cpSync(join(root, 'experiment'), join(project.dir, 'experiment'), {
      recursive: true,
      filter: (path) => !path.endsWith('experiment/results'),
    });
    const { code, stdout, stderr } = await project.run('exec');
    expect(code, stderr).toBe(0);
    const file = stdout.trimEnd().split('\n').at(-1)!;
    expect(file).toBe(join(runDir(project), 'report.html'));
    const html = readFileSync(file, 'utf8');
    const numbers = await numbersOf(html);
    expect(numbers.bare).toEqual([]);
    expect(wrongNumbers(numbers, linesOf(project))).toEqual([]);
    expect(numbers.cited.length).toBeGreaterThan(200);
    // Sentences, waits, costs and counts too.
    const text = (pattern: RegExp) => numbers.cited.filter(({ text }) => pattern.test(text)).length;
    for (const [what, pattern] of Object.entries({ interval: /^\+?0\.01\d+/, time: /^\d+\.\d s$/, step: /^4000$/ }))
      expect(text(pattern), what).toBeGreaterThan(0);

    // What would be wrong is found: a number that leads nowhere, one that was changed, one that leads elsewhere, a miscount.
    const spoilt = async (what: RegExp, by: string): Promise<PageNumbers> => {
      const other = html.replace(what, by);
      expect(other, String(what)).not.toBe(html);
      return numbersOf(other);
    };
    const bare = await spoilt(/<a class="from" href="#j\d+" title="[^"]*">(\d+\.\d s)<\/a>/, '$1');
    expect(bare.bare).toHaveLength(1);
    const wrong: readonly (readonly [RegExp, string])[] = [
      [/(title="[^"]*comparison\.json:\d+">)0\.0\d+</, '$10.0999<'],
      [/href="#j\d+"( title="[^"]*"><span class="at">)/, 'href="#j30"$1'],
      [/(<tr id="n\d+" data-how="count of the lines"><td class="num">)[^<]*/, '$17'],
      [/(<code class="raw">\{&quot;)task/, '$1toys'],
    ];
    for (const [what, by] of wrong)
      expect(wrongNumbers(await spoilt(what, by), linesOf(project)), String(what)).not.toEqual([]);

    // The same run as an archive keeps every rule of the profiles.
    expect((await project.run('export', '--format', 'ro-crate', '--out', 'crate')).code).toBe(0);
    expect(brokenRules(new Crate(join(project.dir, 'crate')))).toEqual([]);

    // Another run, in which most still holds: what it carries along leads to the line that says so.
    expect((await project.run('exec')).code).toBe(0);
    const later = await numbersOf(readFileSync(join(runDir(project), 'report.html'), 'utf8'));
    expect(later.bare).toEqual([]);
    expect(wrongNumbers(later, linesOf(project))).toEqual([]);
    expect((await project.run('export', '--format', 'ro-crate', '--out', 'later')).code).toBe(0);
    expect(brokenRules(new Crate(join(project.dir, 'later')))).toEqual([]);
  }, 240_000);

  it('of a run in which much went wrong does so too', async () => {
    const project = troubledStudy();
    expect((await project.run('exec')).code).toBe(1);
    // Gone on with, after what was wrong was found.
    await ended(project.start(['exec']));
    const file = (await project.run('report')).stdout.trim();
    const numbers = await numbersOf(readFileSync(file, 'utf8'));
    expect(numbers.bare).toEqual([]);
    expect(wrongNumbers(numbers, linesOf(project))).toEqual([]);
    const how = new Set(Object.values(numbers.reckoned).map((row) => row.how));
    for (const one of ['count of the lines', 'sum of usd', 'mean of step_time']) expect(how).toContain(one);
  }, 120_000);

  it('of a loop leads to the line of its record, of every iteration and of every series', async () => {
    const said = JSON.stringify({ outcome: 'done', summary: 'tried 2 blocks at 6e-4', usd: 0.25 });
    const project = new LoopProject(['0.5', '0.70001', 'bad', '0.4'], {
      iterate: { max: 4, repeats: 2 },
      head: { agents: { coder: { backend: 'command', run: './coder.sh', family: 'meta' } } },
      stages: {
        edit: {
          uses: 'agent',
          agent: 'coder',
          with: { instructions: 'Line {{iteration.number}} of values.' },
          outputs: ['value.txt'],
        },
      },
      files: {
        'coder.sh': `#!/bin/sh\nsed -n "$(grep -o 'Line [0-9]' | cut -d' ' -f2)p" values > value.txt\necho '${said}'\n`,
        // Each time another one, so that there is a noise floor.
        'train.sh':
          'test "$(cat value.txt)" != bad || exit 7\necho train >> ran\necho "loss=$(cat value.txt)0$(wc -l < ran | tr -d " ")" > log.txt\n',
        'value.txt': '1.0\n',
      },
    });
    chmodSync(join(project.dir, 'coder.sh'), 0o755);
    project.commit('may be run');
    expect((await project.run('exec')).code).toBe(0);
    expect((await project.run('exec', '--new')).code).toBe(0);
    const html = readFileSync((await project.run('report')).stdout.trim(), 'utf8');
    const numbers = await numbersOf(html);
    expect(numbers.bare).toEqual([]);
    expect(wrongNumbers(numbers, linesOf(project))).toEqual([]);
    const record = Object.values(numbers.lines).filter(({ path }) => path === '.autoresearch/default/iterations.jsonl');
    expect(record.length).toBeGreaterThan(20);
    const how = Object.values(numbers.reckoned).map((row) => `${row.what}, ${row.how}`);
    for (const series of [1, 2])
      for (const one of ['cost in USD, sum of usd', 'time at work, sum of workedMs'])
        expect(how).toContain(`series ${series}: ${one}`);
    // A number of another line, a count of other lines, and a line that says something else are found.
    const wrong: readonly (readonly [RegExp, string])[] = [
      [/(iterations\.jsonl:\d+">)0\.7\d*</, '$10.7123456<'],
      [/(<td class="num">)\d(<\/td><td>iterations of series 1: discarded)/, '$10$2'],
      [/(<td>iteration-measured<\/td><td><code class="raw">\{&quot;number&quot;:)1/, '$13'],
    ];
    for (const [what, by] of wrong) {
      const other = html.replace(what, by);
      expect(other, String(what)).not.toBe(html);
      expect(wrongNumbers(await numbersOf(other), linesOf(project)), String(what)).not.toEqual([]);
    }
  }, 240_000);

  it('is compared by its value, not by its looks', () => {
    const line = '{"durationMs":1312,"attempt":2,"loss":0.123456,"confidence":0.95,"at":"2030-01-01T10:00:00.000Z"}';
    for (const text of ['1.3 s', '2', '0.12346', '95 %', '2030-01-01T10:00:00.000Z', 'no number'])
      expect(holds(line, text), text).toBe(true);
    for (const text of ['1.4 s', '3', '0.12347', '96 %', '2030-01-02T10:00:00.000Z'])
      expect(holds(line, text), text).toBe(false);
  });
});
