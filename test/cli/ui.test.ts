import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.js';
import { LoopProject } from '../support/loop-project.js';
import { configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

/** A browser on a busy machine takes its time; only what never comes is wrong. */
const patienceMs = 100_000;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGTERM');
});

async function dashboard(project: Project, ...args: string[]): Promise<URL> {
  const child = project.start(['ui', ...args]);
  started.push(child);
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await until(() => text.includes('\n'));
  return new URL(text.trim());
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const asked = (
  url: URL | string,
  { method = 'GET', headers = {}, body }: Asking = {},
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const call = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject);
    call.end(body);
  });

const plain = configYaml('a:\n  uses: command\n  with: { run: "echo hello; echo x > a.txt" }\n  outputs: [a.txt]');
const gated = configYaml(
  'write:\n  uses: command\n  with: { run: "echo x > a.txt" }\n  outputs: [a.txt]\n  gate: human\nafter:\n  uses: command\n  needs: [write]\n  with: { run: "cat a.txt > b.txt" }\n  outputs: [b.txt]',
);

/** A run that waits at its gate: killed nowhere, it has saved itself and ended with 3. */
async function waiting(): Promise<Project> {
  const project = new Project({ 'autoresearch.config.yaml': gated });
  expect((await project.run('exec')).code).toBe(3);
  return project;
}

/** While somebody writes it, its last line may be half there. */
const journalText = (project: Project): string => {
  const [run] = readdirSync(join(project.dir, '.autoresearch/default/runs'));
  const file = `.autoresearch/default/runs/${run}/journal.jsonl`;
  return project.exists(file) ? project.read(file) : '';
};

const answerOf = (project: Project, more: object = {}): string => {
  const opened = project.journal().findLast(({ type }) => type === 'gate-opened')!;
  const [run] = readdirSync(join(project.dir, '.autoresearch/default/runs'));
  return JSON.stringify({
    agent: 'default',
    run,
    task: 'write',
    question: opened.question,
    verdict: 'pass',
    text: '',
    ...more,
  });
};

describe('the server of the dashboard', () => {
  it('listens on this machine alone, and shows nothing without its token', async () => {
    const project = new Project({ 'autoresearch.config.yaml': plain });
    await project.run('exec');
    const url = await dashboard(project);
    expect(url.hostname).toBe('127.0.0.1');
    expect((await asked(url)).status).toBe(200);
    const runs = new URL('/runs', url);
    for (const wrong of [
      runs,
      new URL('/runs?token=x', url),
      new URL(`/runs?token=${url.searchParams.get('token')}x`, url),
    ])
      expect(await asked(wrong)).toEqual({ status: 403, text: 'The token is missing or wrong.' });
    expect((await asked(runs, { headers: { 'x-autoresearch-token': url.searchParams.get('token')! } })).text).toContain(
      '1 passed',
    );
    const token = { token: url.searchParams.get('token')! };
    // No path leads to a file: what is not in the list is not there.
    for (const path of [
      '/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/view?name=constructor',
      '/events?agent=..&run=..',
      '/log?agent=default&run=../../x&task=a',
    ])
      expect((await asked(new URL(path, url), { headers: { 'x-autoresearch-token': token.token } })).status).toBe(404);
  });

  it('refuses names that only lead here, other origins and other sites', async () => {
    const project = new Project({ 'autoresearch.config.yaml': plain });
    await project.run('exec');
    const url = await dashboard(project);
    const from = (headers: Record<string, string>) => asked(url, { headers });
    expect((await from({ host: `attacker.example:${url.port}` })).text).toBe('This host is not served.');
    expect((await from({ host: '127.0.0.1' })).text).toBe('This host is not served.');
    expect((await from({ origin: 'https://attacker.example' })).text).toBe('This origin is not served.');
    expect((await from({ origin: 'null' })).text).toBe('This origin is not served.');
    expect((await from({ 'sec-fetch-site': 'cross-site' })).text).toBe('Other sites are not served.');
    expect((await from({ 'sec-fetch-site': 'same-site' })).text).toBe('Other sites are not served.');
    expect((await from({ host: `localhost:${url.port}` })).status).toBe(200);
  });

  it('takes an answer only as JSON, from its own origin, with the token in a header, and not when it only shows', async () => {
    const project = await waiting();
    const url = await dashboard(project);
    const token = url.searchParams.get('token')!;
    const good = { origin: url.origin, 'content-type': 'application/json', 'x-autoresearch-token': token };
    const { origin: _origin, ...noOrigin } = good;
    const { 'x-autoresearch-token': _token, ...noToken } = good;
    const post = (at: URL, headers: Record<string, string>, body = answerOf(project)) =>
      asked(at, { method: 'POST', headers, body });
    const answer = new URL('/answer', url);
    expect((await post(answer, noOrigin)).status).toBe(403);
    expect((await post(answer, noToken)).status).toBe(403);
    expect((await post(new URL(`/answer?token=${token}`, url), noToken)).status).toBe(403);
    expect((await post(answer, { ...good, 'content-type': 'text/plain' })).status).toBe(403);
    expect((await post(answer, { ...good, origin: 'http://127.0.0.1:1' })).status).toBe(403);
    // The right door, and a question that is not the one that is asked.
    const other = await post(answer, good, answerOf(project, { question: 'another' }));
    expect(other.status).toBe(409);
    expect(other.text).toContain('AR608');
    expect((await post(answer, good, answerOf(project, { verdict: 'revise', text: ' ' }))).status).toBe(409);
    expect((await post(answer, good, answerOf(project, { verdict: 'maybe' }))).status).toBe(400);
    expect((await post(answer, good, '{')).status).toBe(500);
    const shows = await dashboard(project, '--read-only');
    const closed = { ...good, origin: shows.origin, 'x-autoresearch-token': shows.searchParams.get('token')! };
    expect(await post(new URL('/answer', shows), closed)).toEqual({ status: 403, text: 'This dashboard only shows.' });
    expect(project.journal().some(({ type }) => type === 'gate-decided')).toBe(false);
    expect((await post(answer, good)).status).toBe(200);
    expect(project.journal().findLast(({ type }) => type === 'gate-decided')).toMatchObject({
      task: 'write',
      verdict: 'pass',
    });
  });

  it('says of a journal that was tampered with that it cannot be trusted', async () => {
    const project = new Project({ 'autoresearch.config.yaml': plain });
    await project.run('exec');
    const [run] = readdirSync(join(project.dir, '.autoresearch/default/runs'));
    const file = `.autoresearch/default/runs/${run}/journal.jsonl`;
    project.write(file, project.read(file).replace('"attempt":1', '"attempt":2'));
    const url = await dashboard(project);
    const headers = { 'x-autoresearch-token': url.searchParams.get('token')! };
    expect((await asked(new URL('/runs', url), { headers })).text).toContain('cannot be trusted');
  });
});

describe.skipIf(!hasBrowser)('the dashboard in a browser', { timeout: 240_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  const open = async (url: URL): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMs);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url.href);
    return { page, complaints };
  };

  it('shows a run that somebody else started while it happens: its log, its graph, its end', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        'slow:\n  uses: command\n  with: { run: "echo \'<b>one</b>\'; while [ ! -f go ]; do sleep 0.05; done; echo two; echo x > a.txt" }\n  outputs: [a.txt]',
      ),
    });
    const url = await dashboard(project);
    const { page, complaints } = await open(url);
    const run = project.start(['exec', '--reporter', 'silent']);
    const end = ended(run);
    await page.getByRole('status').filter({ hasText: 'running: 1 running' }).waitFor({ timeout: patienceMs });
    await page.getByRole('link', { name: 'Logs' }).click();
    await page.getByLabel('Output').filter({ hasText: '<b>one</b>' }).waitFor({ timeout: patienceMs });
    project.write('go', '');
    await page.getByLabel('Output').filter({ hasText: 'two' }).waitFor({ timeout: patienceMs });
    expect((await end).code).toBe(0);
    await page.getByRole('status').filter({ hasText: 'passed: 1 passed' }).waitFor({ timeout: patienceMs });
    await page.getByRole('link', { name: 'Graph' }).click();
    await page.locator('#view svg').waitFor({ timeout: patienceMs });
    await page.getByRole('link', { name: 'Tasks' }).press('Enter');
    await page.locator('td', { hasText: 'slow' }).first().waitFor({ timeout: patienceMs });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('lets a gate be approved by a click while the run waits, and the run goes on', async () => {
    const project = new Project({ 'autoresearch.config.yaml': gated });
    // At a terminal a run stays and waits.
    const terminal = spawn(
      'script',
      ['-qec', `${process.execPath} ${join(import.meta.dirname, '../../dist/bin.cjs')} exec`, '/dev/null'],
      {
        cwd: project.dir,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: project.dir,
          XDG_STATE_HOME: project.stateHome,
          LANG: 'C.UTF-8',
          TERM: 'xterm',
        },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    started.push(terminal);
    const over = new Promise<number | null>((resolve) => terminal.on('close', resolve));
    const runs = join(project.dir, '.autoresearch/default/runs');
    await until(
      () => existsSync(runs) && readdirSync(runs).length > 0 && journalText(project).includes('"gate-opened"'),
    );
    const { page } = await open(await dashboard(project));
    await page.getByRole('article', { name: 'Gate of write' }).waitFor({ timeout: patienceMs });
    expect(existsSync(join(project.dir, 'b.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Revise' }).click();
    await page
      .locator('.said')
      .filter({ hasText: /feedback/i })
      .waitFor({ timeout: patienceMs });
    await page.getByLabel('Note, feedback or reason').fill('looks right');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await over).toBe(0);
    expect(project.read('b.txt')).toBe('x\n');
    expect(project.journal().findLast(({ type }) => type === 'gate-decided')).toMatchObject({
      verdict: 'pass',
      reasons: ['looks right'],
    });
    await page.getByRole('status').filter({ hasText: 'passed: 2 passed' }).waitFor({ timeout: patienceMs });
    await page.close();
  });

  it('shows the iterations of a loop, also those that are decided while an older run is looked at', async () => {
    const project = new LoopProject(['0.5', '0.7'], {
      iterate: { max: 2 },
      files: {
        'edit.sh': `test "$1" != 2 || until test -f go; do sleep 0.05; done\nsed -n "$1p" values > value.txt\n`,
      },
    });
    const loop = project.start(['exec', '--reporter', 'plain']);
    const end = ended(loop);
    await until(() => project.rows().length === 2);
    const url = await dashboard(project);
    const { page, complaints } = await open(url);
    await page.locator('#runs option', { hasText: /^2-\w{4} \(iteration 1 of 2\) passed/ }).waitFor({
      state: 'attached',
      timeout: patienceMs,
    });
    const older = await page.locator('#runs option', { hasText: /^2-/ }).getAttribute('value');
    await page.getByLabel('Run').selectOption(older!);
    await page.getByRole('link', { name: 'all iterations' }).click({ timeout: patienceMs });
    const rows = page.locator('#view table.stacked tbody tr');
    await rows.filter({ hasText: 'open' }).waitFor({ timeout: patienceMs });
    expect(await rows.count()).toBe(3);
    expect(await page.locator('#view figure.chart svg').count()).toBe(1);
    await page.setViewportSize({ width: 380, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    project.write('go', '');
    await rows.filter({ hasText: 'loss is 0.7 after 0.5: no better than the best' }).waitFor({ timeout: patienceMs });
    await page.getByText('because 2 iterations were made').waitFor({ timeout: patienceMs });
    expect((await end).code).toBe(0);
    expect(await page.locator('#top').textContent()).toContain('✓ kept loss is 0.5 after 1: won 0.5.');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('can be used with the keyboard alone, and says what everything is', async () => {
    const project = await waiting();
    const { page } = await open(await dashboard(project));
    await page.getByRole('article', { name: 'Gate of write' }).waitFor({ timeout: patienceMs });
    // The first stop leads past the header, and each one has a name that can be read out.
    const stops: string[] = [];
    for (let tabs = 0; tabs < 40 && stops.at(-1) !== 'Approve'; tabs += 1) {
      await page.keyboard.press('Tab');
      stops.push(
        await page.evaluate(() => {
          const at = document.activeElement as HTMLInputElement;
          const named = at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '';
          return named.trim().slice(0, 60);
        }),
      );
    }
    expect(stops[0]).toBe('Skip to the run');
    expect(stops).not.toContain('');
    expect(stops.at(-1)).toBe('Approve');
    expect(await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Gate of write' }).waitFor({ state: 'detached', timeout: patienceMs });
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('b.txt')).toBe('x\n');
    // From here on the page is not drawn anew by what happens.
    await page.getByRole('status').filter({ hasText: 'passed: 2 passed' }).waitFor();
    // Whoever looks for a task by the keyboard is still in the field when the list has come.
    await page.locator('[data-view="tasks"]').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Filter').focus();
    await page.keyboard.type('write');
    await page.keyboard.press('Enter');
    await page.getByText('1 task, page 1 of 1').waitFor({ timeout: patienceMs });
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).name)).toBe('filter');
    const landmarks = ['banner', 'navigation', 'main'] as const;
    for (const role of landmarks) expect(await page.getByRole(role).count(), role).toBeGreaterThan(0);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.close();
  });

  it('runs nothing that an agent or a program said, in no view', async () => {
    const words = '</td></script><img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    const project = new Project({
      'autoresearch.config.json': JSON.stringify({
        name: 'study',
        agents: { coder: { backend: 'command', run: 'sh coder.sh', family: 'meta' } },
        stages: {
          write: {
            uses: 'agent',
            agent: 'coder',
            with: { instructions: 'Write a.txt.' },
            outputs: ['a.txt'],
            gate: 'human',
          },
          fails: { uses: 'command', with: { run: `echo '${words}' >&2; exit 1` } },
        },
      }),
      'coder.sh': `echo hi > a.txt; cat <<'END'\n${JSON.stringify({ outcome: 'done', summary: words })}\nEND\n`,
    });
    await project.run('exec');
    const { page, complaints } = await open(await dashboard(project));
    await page.getByRole('article', { name: 'Gate of write' }).waitFor({ timeout: patienceMs });
    for (const view of ['Tasks', 'Logs', 'Timeline', 'What did not work', 'Spend', 'Checks', 'Environment', 'Graph']) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.locator('#view > *').first().waitFor({ timeout: patienceMs });
      if (view === 'Tasks')
        await page.locator('td', { hasText: 'window.pwned' }).first().waitFor({ timeout: patienceMs });
      if (view === 'Logs') {
        await page.getByLabel('Task').selectOption('fails');
        await page.getByLabel('Output').filter({ hasText: 'window.pwned' }).waitFor({ timeout: patienceMs });
      }
      expect(await page.evaluate('window.pwned')).toBeUndefined();
      expect(await page.locator('img').count()).toBe(0);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('a page of another origin can neither read it nor write to it', async () => {
    const project = await waiting();
    const url = await dashboard(project);
    const page = await browser.newPage();
    await page.route('http://attacker.example/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>hello' }),
    );
    await page.goto('http://attacker.example/');
    const tried = await page.evaluate(
      `(async () => {
        const read = await fetch(${JSON.stringify(url.href)}).then((r) => r.text()).catch(() => 'blocked');
        await fetch(${JSON.stringify(new URL('/answer', url).href)}, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: ${JSON.stringify(answerOf(project))} }).catch(() => {});
        return read;
      })()`,
    );
    expect(tried).toBe('blocked');
    expect(project.journal().some(({ type }) => type === 'gate-decided')).toBe(false);
    await page.close();
  });
});
