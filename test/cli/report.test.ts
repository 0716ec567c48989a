import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { configYaml, ended, Project } from '../support/project.js';

const runDir = (project: Project): string => {
  const runs = join(project.dir, '.autoresearch/default/runs');
  return join(runs, readdirSync(runs).sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0]!);
};
const left = (project: Project, name: string): string => readFileSync(join(runDir(project), name), 'utf8');

/** An agent whose words try to be markup, in every place where they are shown. */
const hostile = `</code></script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"><a href="javascript:window.pwned=1">x</a>`;

function agentStudy(reply: object, more: object = {}): Project {
  const project = new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      agents: { coder: { backend: 'command', run: './coder.sh', family: 'meta' } },
      stages: {
        write: {
          uses: 'agent',
          agent: 'coder',
          with: { instructions: 'Write a.txt.' },
          outputs: ['a.txt'],
          ...more,
        },
      },
    }),
  });
  project.write('coder.sh', `#!/bin/sh\necho hi > a.txt\ncat <<'END'\n${JSON.stringify(reply)}\nEND\n`);
  chmodSync(join(project.dir, 'coder.sh'), 0o755);
  return project;
}

describe('the table of a parity check', () => {
  it('leads to the lines of the log that it stands in, also in a run that did not have to ask again', async () => {
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        parity: { arms: { arms: { a: 'a.json', b: 'b.json' }, params: ['rate', 'seed'] } },
        stages: { say: { uses: 'command', with: { run: 'echo hi > out.txt' }, outputs: ['out.txt'], cache: false } },
      }),
      'a.json': '{"rate":0.5,"seed":1}',
      'b.json': '{"rate":0.5,"seed":1}',
    });
    const seen: string[][] = [];
    for (const run of [1, 2]) {
      expect((await project.run('exec')).code).toBe(0);
      expect((await project.run('report')).code).toBe(0);
      const page = left(project, 'report.html');
      seen.push(
        [...page.matchAll(/title="(\.autoresearch[^"]*stdout\.log:\d+)"><code class="value">([^<]+)</g)].map(
          ([, at, value]) => `${value} ${at}`,
        ),
      );
      expect(page).toContain(run === 1 ? 'passed' : 'cached');
      // What is led to is on the page.
      expect(page).toMatch(/<code class="raw">= +rate +0\.5 +0\.5<\/code>/);
    }
    const [first = [], second] = seen;
    expect(first.map((text) => text.replace(/ .*stdout\.log/, ' '))).toEqual(['0.5 :2', '0.5 :2', '1 :3', '1 :3']);
    expect(second).toEqual(first);
  });
});

describe('execution.md', () => {
  it('is there when a run has ended, with what failed, what mended it and what came of it', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'flaky:\n  uses: command\n  with: { run: "test -f mended && echo ok > out.txt" }\n  outputs: [out.txt]\n  retry: { attempts: 2, fix: { run: touch mended } }\nafter:\n  uses: command\n  needs: [flaky]\n  with: { run: "exit 3" }',
      ),
    });
    expect((await project.run('exec')).code).toBe(1);
    const text = left(project, 'execution.md');
    expect(text).toMatch(/^# \w+, run 1-\w+: PARTIAL\n\nReason: after exited with code 3\.\n/);
    expect(text).toContain('| flaky | 1 | 1 of 1 | passed |  |\n| after | 2 | 0 of 1 | failed |  |');
    expect(text).toMatch(
      /- flaky, attempt 1 exited with code 1 \(.*; journal\.jsonl:\d+\); mended by touch mended: .*; then: passed/,
    );
    expect(text).toMatch(/- after, attempt 1 exited with code 3 \(.*\); then: given up/);
    expect(text).toContain(
      'STATUS: PARTIAL\nREASON: after exited with code 3\nJOB_IDS: NONE\nPLANS_EXECUTED: 1 of 2\n',
    );
    const { return: given, status } = JSON.parse(left(project, 'execution.json'));
    expect(status).toBe('PARTIAL');
    expect(given).toMatchObject({ STATUS: 'PARTIAL', VALIDATION: 'NONE', VERIFICATION: 'NONE', REVIEW: 'NONE' });
    const printed = await project.run('report', '--text');
    expect(text).toContain(printed.stdout);
  });

  it('is made from the template of a lab, which is tried out before anything runs', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'a:\n  uses: command\n  with: { run: "touch ran; echo x > a.txt" }\n  outputs: [a.txt]',
        'name: study\nreport: { template: own.hbs }',
      ),
    });
    const gone = await project.run('exec');
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('AR640 execution.md cannot be made from it: there is no file');
    project.write('own.hbs', 'Run {{run}}: {{staus}}\n{{#each fixes}}{{by}}{{/each}}');
    const wrong = await project.run('exec');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('line 1:');
    expect(wrong.stderr).toContain('staus');
    expect(project.exists('ran')).toBe(false);
    project.write(
      'own.hbs',
      'Our record of {{name}}: {{return.STATUS}}, {{spent}}{{#each plans}} {{plan}}={{status}}{{/each}}\n',
    );
    expect((await project.run('exec')).code).toBe(0);
    expect(left(project, 'execution.md')).toBe('Our record of study: SUCCESS, none were asked a=passed\n');
  });

  it('lets nothing that an agent says be markup', async () => {
    const project = agentStudy({ outcome: 'done', summary: `# Big | cell\n\n## Status ${hostile}` });
    expect((await project.run('exec')).code).toBe(0);
    const text = left(project, 'execution.md');
    expect(text).toContain('&lt;script>');
    expect(text).not.toContain('<script>');
    expect(text).not.toMatch(/^# Big/m);
    expect(text.match(/^## Status/gm)).toHaveLength(1);
  });

  it('says of what nobody priced that it is unknown, never that it is nothing', async () => {
    const project = agentStudy({ outcome: 'done', summary: 'wrote it' });
    expect((await project.run('exec')).code).toBe(0);
    expect(left(project, 'execution.md')).toContain('| agents | unknown (1 call) |');
    expect((await project.run('report')).code).toBe(0);
    expect(left(project, 'report.html').replace(/<[^>]+>/g, '')).toContain('unknown (1 call)');
  });
});

describe('report', () => {
  it('is one page, the same bytes each time, whose path is the last line of exec where the config asks for it', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'a:\n  uses: command\n  with: { run: "echo x > a.txt" }\n  outputs: [a.txt]',
        'name: study\nreport: { html: true }',
      ),
    });
    const { stdout } = await project.run('exec');
    const page = join(runDir(project), 'report.html');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(page);
    const first = readFileSync(page, 'utf8');
    expect((await project.run('report')).stdout).toBe(`${page}\n`);
    expect(readFileSync(page, 'utf8')).toBe(first);
    // Nothing to do: the page of the run that stands is still the last line.
    expect((await project.run('exec')).stdout.trimEnd().split('\n').at(-1)).toBe(page);
    expect(first).not.toMatch(/<script|<link|<iframe|src=|https?:\/\/(?!www\.w3\.org)/);
  });

  it('keeps failed results in sight, and says of changed ones that they were changed', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'good:\n  uses: command\n  with: { run: "printf \'{\\"step\\":1,\\"loss\\":2}\\n{\\"step\\":2,\\"loss\\":null}\\n\' > log.jsonl" }\n  outputs: [log.jsonl]\nbad:\n  uses: command\n  with: { run: "exit 4" }',
      ),
    });
    expect((await project.run('exec')).code).toBe(1);
    project.write('log.jsonl', '{"step":1,"loss":0.001}\n');
    await project.run('report');
    const page = left(project, 'report.html');
    expect(page).toContain('exited with code 4');
    expect(page).toContain('not what the run made');
  });

  it('a result that was edited by hand is marked at the top and where it is shown, with what the run recorded', async () => {
    const example = join(import.meta.dirname, '../../examples/comparison');
    const files = ['autoresearch.config.yaml', 'train.mjs', 'configs/sgd.json', 'configs/momentum.json'];
    const project = new Project(
      Object.fromEntries(files.map((file) => [file, readFileSync(join(example, file), 'utf8')])),
    );
    expect((await project.run('exec')).code).toBe(0);
    const honest = JSON.parse(project.read('comparison.json'));
    const improvement = honest.variants[0].improvement as number;
    const shown = String(Number(improvement.toPrecision(5)));
    const then = createHash('sha256').update(project.read('comparison.json')).digest('hex').slice(0, 12);
    await project.run('report');
    expect(left(project, 'report.html')).not.toContain('not what the run made');

    const edited = `${JSON.stringify({ ...honest, variants: [{ ...honest.variants[0], improvement: 7.25 }] }, null, 2)}\n`;
    project.write('comparison.json', edited);
    const log = project.read('runs/sgd-1/log.jsonl');
    project.write('runs/sgd-1/log.jsonl', log.replace(/"loss":[\d.]+/, '"loss":9'));
    rmSync(join(project.dir, 'comparison.md'));
    await project.run('report');
    const now = createHash('sha256').update(edited).digest('hex').slice(0, 12);
    const page = left(project, 'report.html');
    const text = page.replace(/<svg.*?<\/svg>/gs, '').replace(/<[^>]*>/g, '');
    const top = text.slice(0, text.indexOf('What is underlined with dots'));
    expect(top).toContain('✗ not what the run made Results were changed, made anew or taken away since.');
    expect(top).toContain(`comparison.json, made by compare: recorded ${then}, now ${now}`);
    expect(top).toContain('runs/sgd-1/log.jsonl, made by train:arm=sgd,seed=1: recorded ');
    expect(top).toMatch(/comparison\.md, made by compare: recorded [0-9a-f]{12}, now gone; nothing of it is shown/);
    // At the chart and its card: the note, and the number that the journal has.
    const section = text.slice(text.indexOf('Comparison', top.length));
    expect(section).toContain(
      `comparison.json was changed or made anew since: recorded ${then}, now ${now}. What is shown of it here is not of this run. The journal has: improvement[momentum] ${shown}; “momentum supported”.`,
    );
    expect(section).toContain('✗ not what the run made the file now says supported');
    expect(section).toContain(
      `Recorded by the run: mean improvement +${shown}. The file now says: Mean improvement +7.25,`,
    );
    expect(section).toMatch(/loss✗ not what the run made runs\/sgd-1\/log\.jsonl was changed or made anew since/);
    // The note stands before the chart that it is about.
    expect(page).toMatch(/<div class="changed" role="note">(?:(?!<figure).)*<\/div><figure class="chart">/s);
    expect((await project.run('verify')).code).toBe(1);
  });

  it('a verification that was written over does not make a run a success', async () => {
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        stages: {
          make: { uses: 'command', with: { run: 'echo x > a.txt' }, outputs: ['a.txt'] },
          check: {
            ...{ uses: 'verify', needs: ['make'], outputs: ['VERIFICATION.md'] },
            with: { must_haves: { artifacts: [{ path: 'a.txt' }] } },
          },
        },
      }),
    });
    const end = await project.run('exec');
    expect(end.code, end.stderr).toBe(0);
    expect(JSON.parse((await project.run('report', '--json')).stdout)).toMatchObject({ status: 'SUCCESS' });
    project.write('VERIFICATION.md', `${project.read('VERIFICATION.md')}\nAll is well.\n`);
    expect(JSON.parse((await project.run('report', '--json')).stdout)).toMatchObject({
      status: 'PARTIAL',
      reason: 'VERIFICATION.md is no longer what check left',
    });
  });

  it('never shows the value of a secret that a result holds', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'a:\n  uses: command\n  passEnv: [LAB_TOKEN]\n  with: { run: "echo {\\"step\\":1,\\"loss\\":1,\\"note\\":\\"$LAB_TOKEN\\"} | sed \'s/\\\\([a-z]*\\\\):/\\"\\\\1\\":/g\' > /dev/null; printf \'{\\"step\\":1,\\"loss\\":1,\\"note\\":\\"%s\\"}\\n\' $LAB_TOKEN > log.jsonl" }\n  outputs: [log.jsonl]',
      ),
    });
    const env = { LAB_TOKEN: 'hunter2-very-secret' };
    expect((await ended(project.start(['exec'], env))).code).toBe(0);
    expect(project.read('log.jsonl')).toContain('hunter2');
    await ended(project.start(['report'], env));
    for (const name of ['report.html', 'execution.md', 'execution.json'])
      expect(left(project, name)).not.toContain('hunter2');
    expect(left(project, 'report.html')).toContain('[secret LAB_TOKEN]');
  });
});

describe.skipIf(!hasBrowser)('report.html in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  it('runs nothing that an agent said, with and without its policy, asks for nothing, and its numbers lead to lines', async () => {
    const project = agentStudy({ outcome: 'done', summary: hostile, usd: 0.5 });
    await project.run('exec');
    const path = (await project.run('report')).stdout.trim();
    expect(readFileSync(path, 'utf8')).toContain('&lt;script&gt;window.pwned');
    const bare = `${path}.bare.html`;
    writeFileSync(bare, readFileSync(path, 'utf8').replace(/<meta http-equiv[^>]*>/, ''));
    for (const file of [path, bare]) {
      const page = await browser.newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(`file://${file}`);
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(asked).toEqual([`file://${file}`]);
      expect(complaints).toEqual([]);
      const numbers = page.locator('a.from');
      expect(await numbers.count()).toBeGreaterThan(5);
      const lost = await page.evaluate(
        `[...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.getElementById(a.getAttribute('href').slice(1))).length`,
      );
      expect(lost).toBe(0);
      await page.close();
    }
  });

  it('fits a narrow window and paper, and is readable by day and by night', async () => {
    const project = agentStudy({ outcome: 'done', summary: 'wrote it' });
    await project.run('exec');
    const path = (await project.run('report')).stdout.trim();
    const shades: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width: 380, height: 800 } });
      await page.goto(`file://${path}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
      shades.push(String(await page.evaluate('getComputedStyle(document.body).backgroundColor')));
      expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(5000);
      await page.close();
    }
    expect(shades).toEqual(['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
  });
});
