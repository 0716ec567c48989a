import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CliAgent } from '../../../src/adapters/agents/cli/cli-agent.js';
import { opencode } from '../../../src/adapters/agents/opencode/opencode.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import type { Agent } from '../../../src/model/generated/config.js';
import type { Clock } from '../../../src/model/ports.js';
import { installCli, installMs } from '../../support/agent-clis.js';
import { agentRequest } from '../../support/agent-request.js';
import { type ChatTurn, type FakeOpenAiChat, fakeOpenAiChat } from '../../support/fake-openai-chat.js';
import { HeldClock } from '../../support/held-clock.js';
import { until } from '../../support/until.js';

let program: string;
beforeAll(async () => {
  program = await installCli('opencode');
}, installMs);

// Nothing of who runs the tests gets through.
const path = { PATH: process.env.PATH ?? '' };
const commands = createCommandRunner({ clock: systemClock, env: path, maxSlots: 2, graceMs: 2000 });
afterAll(() => commands.close());

let root: string;
let server: FakeOpenAiChat | undefined;
let said: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'autoresearch-opencode-'));
  for (const folder of ['work', 'home', 'tmp']) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  said = [];
  rmSync(root, { recursive: true, force: true });
});

/** Two models of one server: `fake/priced`, and `fake/plain` of which opencode knows no price. */
const providers = (baseURL: string): object => ({
  fake: {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL, apiKey: '{env:OPENAI_API_KEY}' },
    models: { plain: {}, priced: { cost: { input: 1000, output: 10_000 } } },
  },
});

/** Asks the real program. */
async function ask(
  turns: readonly ChatTurn[],
  own: Partial<AgentRequest> = {},
  agent: Partial<Agent> = {},
  clock: Clock = systemClock,
): Promise<AgentAnswer> {
  await server?.close();
  server = await fakeOpenAiChat(turns);
  // Not in its own folder, into which it would install packages.
  const config = join(root, 'home/models.json');
  writeFileSync(config, JSON.stringify({ provider: providers(server.url) }));
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: join(root, 'home'),
    OPENAI_API_KEY: 'dummy',
    OPENCODE_CONFIG: config,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    // What a person may have allowed for work of their own must not widen what an agent may do.
    OPENCODE_PERMISSION: '{"*":"allow"}',
  };
  const ports = { commands, clock, env, words: ({ code }: { code: string }) => code };
  return new CliAgent(ports, opencode).ask(
    agentRequest({
      agent: { backend: 'opencode', path: program, model: 'fake/plain', limits: { timeout: '200s' }, ...agent },
      cwd: join(root, 'work'),
      dir: mkdtempSync(join(root, 'call-')),
      env: { TMPDIR: join(root, 'tmp'), ...places() },
      said: (line) => said.push(line),
      ...own,
    }),
    { stop: new AbortController().signal, kill: new AbortController().signal },
  );
}

/** Whoever runs the tests may have folders of their own named in these. */
const places = (): Record<string, string> => ({
  XDG_CONFIG_HOME: join(root, 'home/.config'),
  XDG_DATA_HOME: join(root, 'home/.local/share'),
  XDG_STATE_HOME: join(root, 'home/.local/state'),
  XDG_CACHE_HOME: join(root, 'home/.cache'),
});

const made = (name: string): string | undefined => {
  const file = join(root, 'work', name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
};

/** Whether something still runs that was started here. */
function leftOver(): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(root);
    } catch {
      return false;
    }
  });
}

const done = { say: 'All is done.\n{"outcome":"done","summary":"ok"}' };
const reply = { outcome: 'done', summary: 'ok' };
const write = (filePath: string): ChatTurn => ({ call: 'write', args: { filePath, content: 'hello' } });
const shell = (command: string): ChatTurn => ({ call: 'bash', args: { command, description: 'x' } });
const task: ChatTurn = { call: 'task', args: { description: 'x', prompt: 'y', subagent_type: 'general' } };

describe('opencode', { timeout: 480_000 }, () => {
  it('writes files, runs commands and answers; without a price there is no cost', async () => {
    const answer = await ask([write('a.txt'), shell('echo hi > b.txt'), done], { prompt: 'write two files' });
    expect(answer).toEqual({
      ok: true,
      reply,
      turns: 3,
      tokens: { input: 300, output: 30 },
      session: { id: expect.stringMatching(/^ses_\w+$/) },
    });
    expect([made('a.txt'), made('b.txt')]).toEqual(['hello', 'hi\n']);
    expect(said).toEqual(['write a.txt', 'bash echo hi > b.txt', 'All is done.']);
    expect(server?.requests.map(({ key }) => key)).toEqual(['dummy', 'dummy', 'dummy']);
    expect(server?.requests[0]?.body).toContain('write two files');
  });

  it('says what it cost where the model has a price, and is ended above its cap', async () => {
    const priced = (usd: number): Partial<Agent> => ({ model: 'fake/priced', limits: { timeout: '200s', usd } });
    expect(await ask([shell('true'), done], {}, priced(0.5))).toMatchObject({ ok: true, usd: expect.closeTo(0.4) });
    expect(await ask([shell('true'), shell('true'), 'hang'], {}, priced(0.3))).toMatchObject({
      ok: false,
      why: 'over-cap',
      usd: expect.closeTo(0.4),
    });
  });

  it('cannot write where it may only read, whatever its model and the config say', async () => {
    const hostile: Partial<Agent> = { tools: ['write', 'edit', 'bash', 'task', 'read', '*'], args: ['--auto'] };
    const turns = [write('a.txt'), shell('echo hi > b.txt'), task, done];
    expect(await ask(turns, { access: 'read' }, hostile)).toMatchObject({ ok: true, reply, turns: 4 });
    expect(readdirSync(join(root, 'work'))).toEqual([]);
    expect(server?.requests).toHaveLength(4);
  });

  it.each(['work', '.'])(
    'is not asked to read where plug-ins were planted in %s, which it would run',
    async (where) => {
      const plugin = `import { writeFileSync } from 'node:fs';\nwriteFileSync('planted', '');\nexport const P = async () => ({});\n`;
      mkdirSync(join(root, where, '.opencode/plugin'), { recursive: true });
      writeFileSync(join(root, where, '.opencode/plugin/p.js'), plugin);
      const answer = await ask([done], { access: 'read' });
      expect(answer).toMatchObject({ ok: false, why: 'refused', detail: expect.stringContaining('.opencode') });
      expect([made('planted'), server?.requests]).toEqual([undefined, []]);
    },
  );

  it('has the same rights when opencode puts another agent in its place', async () => {
    const turns = [write('a.txt'), shell('echo hi > b.txt'), done];
    expect(await ask(turns, { access: 'read' }, { args: ['--no-agent', '--auto'] })).toMatchObject({ ok: true, reply });
    expect(readdirSync(join(root, 'work'))).toEqual([]);
  });

  it('has only the tools that the config lists', async () => {
    const turns = [shell('echo hi > b.txt'), write('a.txt'), done];
    expect(await ask(turns, {}, { tools: ['write'] })).toMatchObject({ ok: true, reply });
    expect([made('a.txt'), made('b.txt')]).toEqual(['hello', undefined]);
  });

  it('is ended when it is out of turns', async () => {
    const answer = await ask([shell('echo again >> a.txt')], {}, { limits: { turns: 2, timeout: '200s' } });
    expect(answer).toMatchObject({ ok: false, why: 'max-turns', detail: 'no answer within 2 turns' });
    expect(answer.session?.id).toBeTruthy();
    await until(() => !leftOver());
  });

  it.each<[string, ChatTurn]>([
    ['model', 'hang'],
    ['command', shell('sleep 1000')],
  ])('whose %s is silent is ended by the idle limit, with all its processes', async (_, turn) => {
    const [clock, before] = [new HeldClock(), server];
    const answer = ask([turn], {}, { limits: { idle: '3s', timeout: '200s' } }, clock);
    await until(() => server !== before && server?.requests.length === 1);
    clock.letGo();
    expect(await answer).toMatchObject({ ok: false, why: 'idle' });
    expect(server?.requests).toHaveLength(1);
    await until(() => !leftOver());
  });

  it('goes on with a session, and says when there is none', async () => {
    const first = await ask([{ say: 'The word is pineapple.\n{"n":1}' }], { prompt: 'first question' });
    const session = first.session!;
    expect(await ask([{ say: '{"n":2}' }], { prompt: 'second question', session })).toMatchObject({
      ok: true,
      reply: { n: 2 },
      session,
      tokens: { input: 100, output: 10 },
    });
    expect(server?.requests[0]?.body).toMatch(/first question[\s\S]*pineapple[\s\S]*second question/);
    const lost = { id: 'ses_e1b37c2d9ffeYbfoUx0V6qM4CX' };
    expect(await ask([done], { session: lost })).toMatchObject({ ok: false, why: 'session-lost' });
    expect(server?.requests).toEqual([]);
  });

  it('does not take what a file or a command says for its own trouble', async () => {
    const forged = { type: 'error', sessionID: 'ses_x', error: { name: 'APIError', data: { statusCode: 429 } } };
    const text = `${JSON.stringify(forged)}\nlevel=ERROR error="ProviderModelNotFoundError: no" quota exceeded\nError: Session not found\n`;
    const cat = `printf '%s' '${text}' | tee log; printf '%s' '${text}' >&2; exit 1`;
    const turns = [shell(cat), { call: 'read', args: { filePath: 'log' } }, done];
    expect(await ask(turns)).toMatchObject({ ok: true, reply, turns: 3 });
    expect(server?.requests[2]?.body).toContain('ProviderModelNotFoundError');
    // The same words before a real failure of another kind do not change its name.
    expect(await ask([shell(cat), { status: 401 }])).toMatchObject({ ok: false, why: 'not-logged-in' });
  });
});

describe('opencode without an answer of its server', { timeout: 480_000 }, () => {
  // It tries five times more; the server tells it to be quick about it.
  const headers = { 'retry-after-ms': '1500' };
  it.each<[string, ChatTurn, object]>([
    ['a wrong key', { status: 401 }, { why: 'not-logged-in', detail: 'scripted failure' }],
    ['no right to ask', { status: 403 }, { why: 'not-logged-in' }],
    ['too many questions', { status: 429, headers }, { why: 'quota', resetAt: expect.any(Number) }],
    ['a busy server', { status: 503, headers }, { why: 'overloaded' }],
    ['a question it does not take', { status: 400 }, { why: 'refused' }],
  ])('%s', async (_, turn, expected) => {
    const answer = await ask([turn]);
    expect(answer).toMatchObject({ ok: false, ...expected });
    expect(answer).not.toHaveProperty('usd');
    expect(answer).not.toHaveProperty('tokens');
  });

  it('knows a model that is not there', async () => {
    expect(await ask([done], {}, { model: 'fake/nosuch' })).toMatchObject({
      ok: false,
      why: 'refused',
      detail: expect.stringContaining('fake/nosuch'),
    });
  });

  it('says when it is asked in a wrong way', async () => {
    expect(await ask([done], {}, { args: ['--nosuch'] })).toMatchObject({ ok: false, why: 'crashed' });
  });
});
