import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { CliAgent } from '../../../src/adapters/agents/cli/cli-agent.js';
import { codex } from '../../../src/adapters/agents/codex/codex.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import type { Agent } from '../../../src/model/generated/config.js';
import type { Clock } from '../../../src/model/ports.js';
import { installCli, installMs } from '../../support/agent-clis.js';
import { agentRequest } from '../../support/agent-request.js';
import { FakeOpenAi, type FakeTurn } from '../../support/fake-openai.js';

export let program: string;
beforeAll(async () => {
  program = await installCli('codex');
}, installMs);

const path = { PATH: process.env.PATH ?? '' };
const commands = createCommandRunner({ clock: systemClock, env: path, maxSlots: 2, graceMs: 2000 });
afterAll(() => commands.close());

const fakes: FakeOpenAi[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const fake of fakes.splice(0)) await fake.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A place for the real codex to work in, with an environment and a model of its own. */
export class CodexRig {
  readonly said: string[] = [];
  readonly root = mkdtempSync(join(tmpdir(), 'autoresearch-codex-'));
  readonly cwd = join(this.root, 'work');
  #calls = 0;

  constructor() {
    folders.push(this.root);
    for (const name of ['work', 'home', 'codex']) mkdirSync(join(this.root, name));
  }

  async fake(turns: readonly FakeTurn[]): Promise<FakeOpenAi> {
    const fake = await FakeOpenAi.start(turns);
    fakes.push(fake);
    return fake;
  }

  ask(
    baseUrl: string,
    own: Partial<AgentRequest> = {},
    agent: Partial<Agent> = {},
    clock: Clock = systemClock,
  ): Promise<AgentAnswer> {
    writeFileSync(join(this.root, 'codex', 'config.toml'), configOf(baseUrl));
    const dir = join(this.root, `call-${++this.#calls}`);
    mkdirSync(dir);
    const env = {
      ...path,
      HOME: join(this.root, 'home'),
      CODEX_HOME: join(this.root, 'codex'),
      OPENAI_FAKE_KEY: 'dummy',
    };
    const prices = { 'gpt-test': { input: 2, output: 10 } };
    return new CliAgent({ commands, clock, env, prices, words: ({ code }) => code }, codex).ask(
      agentRequest({
        agent: { backend: 'codex', path: program, limits: { timeout: '120s' }, ...agent },
        cwd: this.cwd,
        dir,
        said: (line) => this.said.push(line),
        ...own,
      }),
      { stop: new AbortController().signal, kill: new AbortController().signal },
    );
  }

  /** Whether something still runs that was started here. */
  leftOver(): boolean {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.some((pid) => textOf(`/proc/${pid}/environ`).includes(this.root));
  }

  made(name: string): string | undefined {
    const file = join(this.cwd, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }
}

const configOf = (baseUrl: string): string => `
model = "gpt-test"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${baseUrl}"
env_key = "OPENAI_FAKE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
