import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { claude } from '../../../src/adapters/agents/claude/claude.js';
import { CliAgent } from '../../../src/adapters/agents/cli/cli-agent.js';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import type { AgentAnswer, AgentRequest } from '../../../src/model/agents/agent.js';
import type { Clock } from '../../../src/model/ports.js';
import { installCli, installMs } from '../../support/agent-clis.js';
import { agentRequest } from '../../support/agent-request.js';
import { FakeAnthropic, type ModelScript, type ModelTurn } from '../../support/fake-anthropic.js';

/** The folder of everything in one test file. */
export const home = mkdtempSync(join(tmpdir(), 'autoresearch-claude-'));
const base = { PATH: process.env.PATH!, HOME: join(home, 'home') };
mkdirSync(base.HOME);
const commands = createCommandRunner({ clock: systemClock, env: base, maxSlots: 2, graceMs: 3000 });
let program: string;
const open: FakeAnthropic[] = [];

beforeAll(async () => {
  program = await installCli('claude');
}, installMs);
afterEach(async () => {
  for (const fake of open.splice(0)) await fake.close();
});
afterAll(async () => {
  await commands.close();
  rmSync(home, { recursive: true, force: true });
});

export interface Asked {
  readonly fake: FakeAnthropic;
  readonly cwd: string;
  readonly dir: string;
  readonly said: string[];
  readonly mark: string;
  readonly stop: AbortController;
  readonly answer: Promise<AgentAnswer>;
}

type Given = Partial<Omit<AgentRequest, 'agent'>> & {
  readonly agent?: Partial<AgentRequest['agent']>;
  /** On top of the runner's environment; an empty value takes a variable away. */
  readonly runner?: { readonly [name: string]: string };
  readonly clock?: Clock;
};

let calls = 0;

/** Asks the real claude, whose model is a script on loopback. */
export async function ask(
  script: ModelScript,
  { agent, runner, clock = systemClock, ...own }: Given = {},
): Promise<Asked> {
  const fake = await FakeAnthropic.start(script);
  open.push(fake);
  const dir = mkdtempSync(join(home, 'call-'));
  const cwd = own.cwd ?? mkdtempSync(join(home, 'work-'));
  calls += 1;
  const mark = `call ${process.pid} ${calls}`;
  const env = { ...base, ANTHROPIC_BASE_URL: fake.url, ANTHROPIC_API_KEY: 'dummy', ...runner };
  const ports = { commands, clock, env: present(env), words: ({ code }: { code: string }) => code };
  const said: string[] = [];
  const [stop, kill] = [new AbortController(), new AbortController()];
  const answer = new CliAgent(ports, claude).ask(
    agentRequest({
      replySchema: schema,
      ...own,
      agent: { backend: 'claude', path: program, ...agent, limits: { timeout: '120s', ...agent?.limits } },
      cwd,
      dir,
      env: { TEST_MARK: mark },
      said: (line) => said.push(line),
    }),
    { stop: stop.signal, kill: kill.signal },
  );
  return { fake, cwd, dir, said, mark, stop, answer };
}

const present = (env: { readonly [name: string]: string }): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

const schema = {
  type: 'object',
  properties: { outcome: { type: 'string' }, summary: { type: 'string' } },
  required: ['outcome', 'summary'],
};
export const done = { outcome: 'done', summary: 'ok' };
export const reply: ModelTurn = { tools: [{ name: 'StructuredOutput', input: done }] };
export const uses = (name: string, input: object): ModelTurn => ({ tools: [{ name, input }] });
export const writes = (file_path: string): ModelTurn => uses('Write', { file_path, content: 'hello\n' });

/** Processes that carry the mark of a call in their environment, wherever they have gone. */
export const marked = (mark: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && read(`/proc/${pid}/environ`).split('\0').includes(`TEST_MARK=${mark}`));
export const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
export const runs = (mark: string, words: string): boolean =>
  marked(mark).some((pid) => read(`/proc/${pid}/cmdline`) === words.replaceAll(' ', '\0').concat('\0'));
