import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installCli, installMs } from '../support/agent-clis.js';
import { FakeAnthropic } from '../support/fake-anthropic.js';
import { FakeOpenAi } from '../support/fake-openai.js';
import { ended, Project } from '../support/project.js';

let programs: { readonly claude: string; readonly codex: string };
beforeAll(async () => {
  programs = { claude: await installCli('claude'), codex: await installCli('codex') };
}, 2 * installMs);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const done = { outcome: 'done', summary: 'the word is xyzzy', notes: 'xyzzy' };

/** Two tasks for one agent that keeps its session, and in between a command that takes the session away. */
async function study(backend: 'claude' | 'codex', forget: string) {
  const anthropic = await FakeAnthropic.start(() => ({ tools: [{ name: 'StructuredOutput', input: done }] }));
  const openai = await FakeOpenAi.start(Array.from({ length: 8 }, () => ({ text: JSON.stringify(done) })));
  open.push(anthropic, openai);
  const agent = { backend, path: programs[backend], model: 'm-test', lifecycle: 'persistent', passEnv: ['FAKE_KEY'] };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'memory',
      agents: { coder: { ...agent, limits: { timeout: '60s' } } },
      stages: {
        one: {
          uses: 'agent',
          agent: 'coder',
          with: { kind: 'analyze', instructions: 'Think of a word.', to: 'one.md' },
          outputs: ['one.md'],
        },
        forget: { uses: 'command', needs: ['one'], with: { run: forget } },
        two: {
          uses: 'agent',
          agent: 'coder',
          needs: ['forget'],
          with: { kind: 'analyze', instructions: 'Say the word.', to: 'two.md' },
          outputs: ['two.md'],
        },
      },
    }),
  });
  const home = join(project.dir, '..', `${project.dir.split('/').at(-1)}-home`);
  mkdirSync(join(home, 'codex'), { recursive: true });
  writeFileSync(
    join(home, 'codex', 'config.toml'),
    `model_provider = "fake"\n[model_providers.fake]\nname = "fake"\nbase_url = "${openai.baseUrl}"\nenv_key = "FAKE_KEY"\nwire_api = "responses"\n`,
  );
  const env = {
    HOME: home,
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_API_KEY: 'sk-dummy-0123456789abcdef',
    CODEX_HOME: join(home, 'codex'),
    FAKE_KEY: 'fk-dummy-0123456789abcdef',
  };
  const asked = (): string =>
    backend === 'claude' ? anthropic.requests.at(-1)!.text : JSON.stringify(openai.requests.at(-1)!.body);
  return { project, home, asked, run: (...args: string[]) => ended(project.start(args, env)) };
}

const events = (project: Project, type: string) => project.journal().filter((entry) => entry.type === type);

describe.each([
  ['claude', 'rm -rf "$HOME/.claude/projects"', '.claude/projects'],
  ['codex', 'rm -rf "$HOME/codex/sessions"', 'codex/sessions'],
] as const)('%s, a real one, that has lost its session between two tasks', (backend, forget, place) => {
  it('is told what it did before, and everybody is told that', { timeout: 180_000 }, async () => {
    const { project, asked, run } = await study(backend, forget);
    const { code, stdout } = await run('exec', '--reporter', 'plain');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(events(project, 'agent-failed')).toMatchObject([{ why: 'session-lost' }]);
    const [first, , anew] = events(project, 'agent-invoked');
    expect(first).not.toHaveProperty('replaces');
    expect(anew).toMatchObject({ task: 'two', replaces: { told: 1, of: 1 } });
    // The model itself has heard of it.
    expect(asked()).toContain('Your earlier session is gone');
    expect(asked()).toContain('Think of a word.');
    expect(asked()).toContain('the word is xyzzy');
    const words = /two:? +the session \S+ of coder was gone; a new one was told of its 1 call/;
    expect(stdout).toMatch(words);
    expect((await run('status')).stdout).toMatch(words);
    expect(JSON.parse((await run('status', '--json')).stdout).replacedSessions).toMatchObject([{ agent: 'coder' }]);
    const files = readdirSync(join(project.dir, '.autoresearch'), { recursive: true }) as string[];
    const record = files.find((file) => file.endsWith('execution.md'));
    expect(project.read(`.autoresearch/${record}`)).toContain('of coder was gone; a new one was told of its 1 call');
  });

  it('fails when nothing of it is kept', { timeout: 180_000 }, async () => {
    const { project, home, run } = await study(backend, `${forget}; rm -rf .autoresearch/default/runs/*/tasks/one`);
    const { code, stdout } = await run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toMatch(/its session \S+ is gone, and nothing is kept of the 1 call in it/);
    expect(events(project, 'agent-completed')).toHaveLength(1);
    expect(existsSync(join(home, place))).toBe(false);
  });
});
