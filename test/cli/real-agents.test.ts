import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installCli, installMs } from '../support/agent-clis.js';
import { FakeAnthropic, type ModelScript } from '../support/fake-anthropic.js';
import { FakeOpenAi } from '../support/fake-openai.js';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

let programs: { readonly claude: string; readonly codex: string };
beforeAll(async () => {
  programs = { claude: await installCli('claude'), codex: await installCli('codex') };
}, 2 * installMs);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const key = 'sk-dummy-0123456789abcdef';
const reply = (input: object): { tools: { name: string; input: object }[] } => ({
  tools: [{ name: 'StructuredOutput', input }],
});

/** A study of two real coding CLIs, each with a scripted model on loopback and a home of its own. */
async function study(script: ModelScript, more: { readonly coder?: object; readonly stage?: object } = {}) {
  const anthropic = await FakeAnthropic.start(script);
  const verdict = '{"verdict": "pass", "score": 0.9, "reasons": ["src/a.py:1 is what was asked for"]}';
  const openai = await FakeOpenAi.start([{ text: verdict, usage: { input: 1000, output: 100 } }]);
  open.push(anthropic, openai);
  const config = {
    name: 'pair',
    agents: {
      coder: {
        backend: 'claude',
        path: programs.claude,
        limits: { timeout: '60s', turns: 5, usd: 1 },
        ...more.coder,
      },
      critic: {
        backend: 'codex',
        path: programs.codex,
        model: 'gpt-test',
        family: 'openai',
        passEnv: ['FAKE_KEY'],
        limits: { timeout: '60s' },
      },
    },
    prices: { 'gpt-test': { input: 2, output: 10 } },
    stages: {
      implement: {
        uses: 'agent',
        agent: 'coder',
        with: { instructions: 'Write src/a.py.', verify: 'test -s src/a.py' },
        outputs: ['src/a.py'],
        scope: ['src/**'],
        ...more.stage,
      },
      review: {
        uses: 'agent',
        agent: 'critic',
        needs: ['implement'],
        with: { kind: 'review', criteria: ['It works'], to: 'review.json' },
        outputs: ['review.json'],
      },
    },
  };
  const project = new Project({ 'autoresearch.config.json': JSON.stringify(config) });
  const home = join(project.dir, '..', `${project.dir.split('/').at(-1)}-home`);
  mkdirSync(join(home, 'codex'), { recursive: true });
  writeFileSync(
    join(home, 'codex', 'config.toml'),
    `model_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${openai.baseUrl}"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1\n`,
  );
  const env = {
    HOME: home,
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_API_KEY: key,
    CODEX_HOME: join(home, 'codex'),
    FAKE_KEY: 'fk-dummy-0123456789abcdef',
  };
  const start = (...args: string[]) => project.start(args, env);
  return { project, anthropic, openai, start, run: (...args: string[]) => ended(start(...args)) };
}

const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a study of real coding CLIs', { timeout: 180_000 }, () => {
  it('claude writes, codex reviews; recorded, then replayed by a lab that has neither', async () => {
    const write = { name: 'Write', input: { file_path: 'src/a.py', content: 'x = 1\n' } };
    const { project, run } = await study([{ tools: [write] }, reply({ outcome: 'done', summary: 'wrote src/a.py' })]);
    const { code, stdout } = await run('exec', '--reporter', 'plain', '--record');
    expect(stdout).toMatch(/✓ pair passed/);
    expect(code).toBe(0);
    expect(project.read('src/a.py')).toBe('x = 1\n');
    expect(JSON.parse(project.read('review.json'))).toMatchObject({ verdict: 'pass', score: 0.9 });

    const [author, reviewer] = events(project, 'agent-completed');
    expect(author).toMatchObject({ agent: 'coder', outcome: 'done', files: ['src/a.py'] });
    expect(author!.session).toBeDefined();
    expect(reviewer).toMatchObject({ agent: 'critic', outcome: 'pass' });
    const [byClaude, byCodex] = events(project, 'spend-recorded');
    expect(byClaude).toMatchObject({ source: 'reported' });
    // Codex counts tokens; the config has their price: 1,000 × $2 and 100 × $10 a million.
    expect(byCodex).toMatchObject({ source: 'priced', usd: 0.003, tokens: 1100 });

    for (const file of filesBelow(join(project.dir, '.autoresearch')).concat(
      filesBelow(join(project.dir, 'cassettes')),
    ))
      expect(readFileSync(file, 'utf8'), file).not.toContain(key);

    const there = new Project({ 'autoresearch.config.json': project.read('autoresearch.config.json') });
    cpSync(join(project.dir, 'cassettes'), join(there.dir, 'cassettes'), { recursive: true });
    const replayed = await ended(there.start(['exec', '--reporter', 'plain', '--replay']));
    expect(replayed.stdout).toMatch(/✓ pair passed/);
    expect(there.read('src/a.py')).toBe('x = 1\n');
    expect(events(there, 'spend-recorded')).toMatchObject([{ usd: 0 }, { usd: 0 }]);
  });

  it('what claude writes outside of the scope through its shell is exit code 4', async () => {
    const shell = {
      name: 'Bash',
      input: { command: 'mkdir -p src eval; echo x > src/a.py; echo 1.0 > eval/score', description: 'x' },
    };
    const { run } = await study([{ tools: [shell] }, reply({ outcome: 'done', summary: 'did it' })]);
    const { code, stdout } = await run('exec', '--reporter', 'plain');
    expect(stdout).toContain('agent coder changed eval/score, which it may not');
    expect(code).toBe(4);
  });

  it('out of turns is a failure that says so, and the next try goes on in the same session', async () => {
    const look = { name: 'Glob', input: { pattern: '**/*' } };
    const write = { name: 'Write', input: { file_path: 'src/a.py', content: 'x = 1\n' } };
    const { project, anthropic, run } = await study(
      [{ tools: [look] }, { tools: [look] }, { tools: [write] }, reply({ outcome: 'done', summary: 'wrote it' })],
      { coder: { limits: { timeout: '60s', turns: 2, usd: 1 } }, stage: { retry: { attempts: 2 } } },
    );
    const { code } = await run('exec', '--reporter', 'plain');
    expect(events(project, 'task-failed')).toMatchObject([{ errorClass: 'agent:max-turns' }]);
    expect(code).toBe(0);
    const [failed] = events(project, 'agent-failed');
    expect(failed).toMatchObject({ why: 'max-turns', session: { id: expect.any(String) } });
    expect(anthropic.requests.at(-1)!.text).toContain('Attempt 1 failed');
  });

  it('Ctrl-C while claude works leaves nothing running, and the next exec goes on', async () => {
    const hang = { name: 'Bash', input: { command: 'setsid sleep 987 & sleep 987', description: 'x' } };
    const write = { name: 'Write', input: { file_path: 'src/a.py', content: 'x = 1\n' } };
    let isFirst = true;
    const { project, start, run } = await study(({ text: asked }) => {
      if (isFirst) return { tools: [hang] };
      return asked.includes('tool_result') && asked.includes('x = 1')
        ? reply({ outcome: 'done', summary: 'wrote it' })
        : { tools: [write] };
    });
    const child = start('exec', '--reporter', 'silent');
    const end = ended(child);
    const sleepers = (): number[] =>
      readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > 0 && readOr(`/proc/${pid}/environ`).includes(project.dir))
        .filter((pid) => readOr(`/proc/${pid}/cmdline`).startsWith('sleep\x00987'));
    await until(() => sleepers().length === 2);
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: 130 });
    expect(sleepers()).toEqual([]);
    isFirst = false;
    expect(await run('exec', '--reporter', 'plain')).toMatchObject({ code: 0 });
  });
});

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
