import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claude } from '../../../src/adapters/agents/claude/claude.js';
import { CliAgent } from '../../../src/adapters/agents/cli/cli-agent.js';
import type { CliDialect } from '../../../src/adapters/agents/cli/cli-dialect.js';
import { codex } from '../../../src/adapters/agents/codex/codex.js';
import type { Environment } from '../../../src/adapters/command/environment.js';
import type { Fence } from '../../../src/adapters/sandbox/sandbox-fence.js';
import { fencedRunner } from '../../../src/adapters/sandbox/sandbox-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import { installCli, installMs } from '../../support/agent-clis.js';
import { agentRequest } from '../../support/agent-request.js';
import { FakeAnthropic } from '../../support/fake-anthropic.js';
import { FakeOpenAi } from '../../support/fake-openai.js';
import { until } from '../../support/until.js';
import { bwrap, env, runnerOf, SandboxRig } from './sandbox-rig.js';

const runner = runnerOf('warden');
afterAll(() => runner.close());
let rig: SandboxRig;
beforeEach(() => {
  rig = new SandboxRig(runner);
});
afterEach(() => {
  rig.expectWhole();
  rig.remove();
});

interface Asking {
  readonly env: Environment;
  readonly homeFolders: readonly string[];
  readonly agent: AgentRequest['agent'];
  readonly session?: AgentRequest['session'];
  readonly fence?: Partial<Fence>;
  readonly stop?: AbortSignal;
}

function ask(dialect: CliDialect, { env: own, homeFolders, agent, session, ...more }: Asking): Promise<AgentAnswer> {
  const fencing = { fence: rig.fence({ homeFolders, ...more.fence }), bwrap: bwrap ?? '', path: env.PATH };
  const ports = {
    commands: fencedRunner(runner, fencing),
    clock: systemClock,
    words: (failure: object) => JSON.stringify(failure),
  };
  const request = agentRequest({
    ...{ agent: { ...agent, limits: { timeout: '60s' } }, cwd: rig.root, dir: rig.call, prompt: 'the prompt\n' },
    ...(session ? { session } : {}),
  });
  const never = new AbortController().signal;
  const all = { ...env, HOME: rig.home, ...own };
  return new CliAgent({ ...ports, env: all }, dialect).ask(request, { stop: more.stop ?? never, kill: never });
}

const commands =
  'echo hi >src/made.txt; echo bad >src/guarded.txt; echo bad >eval/score.py; cat .autoresearch/journal.jsonl';

/** Processes with the rig's home in their environment, wherever they have gone. */
const left = (): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${rig.home}\0`);
    } catch {
      return false;
    }
  });

describe.skipIf(bwrap === undefined)('claude in the fence', { timeout: installMs }, () => {
  const use = (name: string, input: object) => ({ tools: [{ name, input }] });
  const done = use('StructuredOutput', { outcome: 'done', summary: 'ok' });
  let fake: FakeAnthropic;
  afterEach(() => fake.close());
  const asking = async (): Promise<Asking> => {
    const folder = join(rig.home, '.claude');
    mkdirSync(folder, { recursive: true });
    const agent = { backend: 'claude' as const, path: await installCli('claude') };
    return { env: { ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: 'dummy' }, homeFolders: [folder], agent };
  };

  it('works, keeps its session, and writes only its scope', async () => {
    fake = await FakeAnthropic.start([
      use('Bash', { command: commands }),
      use('Write', { file_path: join(rig.root, 'src/written.txt'), content: 'hello\n' }),
      use('Write', { file_path: join(rig.root, 'other.txt'), content: 'no\n' }),
      use('Edit', { file_path: join(rig.root, 'src/open.txt'), old_string: 'open', new_string: 'edited' }),
      done,
    ]);
    const how = await asking();
    const answer = await ask(claude, how);
    expect(answer).toMatchObject({ ok: true, reply: { outcome: 'done' } });
    expect([rig.read('project/src/made.txt'), existsSync(join(rig.root, 'other.txt'))]).toEqual(['hi\n', false]);
    expect([rig.read('project/src/written.txt'), rig.read('project/src/open.txt')]).toEqual(['hello\n', 'edited\n']);
    const again = await ask(claude, { ...how, session: answer.session! });
    expect(again).toMatchObject({ ok: true, session: { id: answer.session?.id } });
  });

  it('edits a scope that is a single file', async () => {
    const file = join(rig.root, 'src/open.txt');
    fake = await FakeAnthropic.start([
      use('Read', { file_path: file }),
      use('Edit', { file_path: file, old_string: 'open', new_string: 'edited' }),
      done,
    ]);
    expect(await ask(claude, { ...(await asking()), fence: { writable: [file] } })).toMatchObject({ ok: true });
    expect(rig.read('project/src/open.txt')).toBe('edited\n');
  });

  it('leaves nothing running when it is stopped in the middle of a command', async () => {
    fake = await FakeAnthropic.start([
      use('Bash', { command: 'setsid sleep 1000 & touch src/begun; sleep 1001' }),
      done,
    ]);
    const stop = new AbortController();
    const answer = ask(claude, { ...(await asking()), stop: stop.signal });
    await until(() => existsSync(join(rig.root, 'src/begun')));
    stop.abort();
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
    await until(() => left().length === 0);
  });
});

describe.skipIf(bwrap === undefined)('codex in the fence', { timeout: installMs }, () => {
  let fake: FakeOpenAi;
  afterEach(() => fake.close());
  const run = (cmd: string) => ({ calls: [{ name: 'exec_command', args: { cmd } }] });
  const patched = (lines: string) => run(`apply_patch <<'X'\n*** Begin Patch\n${lines}\n*** End Patch\nX`);
  const done = { text: '{"outcome":"done","summary":"ok"}' };
  const open = ['--sandbox', 'danger-full-access'];

  const asking = async (args: readonly string[]): Promise<Asking> => {
    const folder = join(rig.home, '.codex');
    mkdirSync(folder, { recursive: true });
    const provider = `[model_providers.fake]\nname = "fake"\nbase_url = "${fake.baseUrl}"\nenv_key = "OPENAI_FAKE_KEY"`;
    const retries = 'wire_api = "responses"\nrequest_max_retries = 1\nstream_max_retries = 1';
    const config = `model = "gpt-test"\nmodel_provider = "fake"\n${provider}\n${retries}\n`;
    writeFileSync(join(folder, 'config.toml'), config);
    const agent = { backend: 'codex' as const, path: await installCli('codex'), args: [...args] };
    return { env: { OPENAI_FAKE_KEY: 'dummy' }, homeFolders: [folder], agent };
  };

  it('works without its own sandbox, keeps its session, and writes only its scope', async () => {
    fake = await FakeOpenAi.start([
      run(commands),
      patched('*** Add File: src/patched.txt\n+hello'),
      patched('*** Add File: other.txt\n+no'),
      done,
    ]);
    const how = await asking(open);
    const answer = await ask(codex, how);
    expect(answer).toMatchObject({ ok: true, reply: { outcome: 'done' } });
    expect([rig.read('project/src/made.txt'), rig.read('project/src/patched.txt')]).toEqual(['hi\n', 'hello\n']);
    expect(existsSync(join(rig.root, 'other.txt'))).toBe(false);
    expect(fake.toolOutputs(1)[0]).toContain('Read-only file system');
    const again = await ask(codex, { ...how, session: answer.session! });
    expect(again).toMatchObject({ ok: true, session: { id: answer.session?.id } });
  });

  it('edits a scope that is a single file', async () => {
    fake = await FakeOpenAi.start([patched('*** Update File: src/open.txt\n@@\n-open\n+edited'), done]);
    const fence = { writable: [join(rig.root, 'src/open.txt')] };
    expect(await ask(codex, { ...(await asking(open)), fence })).toMatchObject({ ok: true });
    expect(rig.read('project/src/open.txt')).toBe('edited\n');
  });

  it.runIf(process.getuid?.() === 0)(
    'can do nothing with its own sandbox inside, so it has to be told to leave it',
    async () => {
      fake = await FakeOpenAi.start([run(commands), done]);
      await ask(codex, await asking([]));
      expect(fake.toolOutputs(1)[0]).toMatch(/bwrap: .*not permitted/);
      expect(existsSync(join(rig.root, 'src/made.txt'))).toBe(false);
    },
  );

  it('leaves nothing running when it is stopped in the middle of a command', async () => {
    fake = await FakeOpenAi.start([run('setsid sleep 1000 & touch src/begun; sleep 1001'), done]);
    const stop = new AbortController();
    const answer = ask(codex, { ...(await asking(open)), stop: stop.signal });
    await until(() => existsSync(join(rig.root, 'src/begun')));
    stop.abort();
    expect(await answer).toMatchObject({ ok: false, why: 'cancelled' });
    await until(() => left().length === 0);
  });
});
