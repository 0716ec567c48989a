import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, AgentTrouble, CallSignals } from '../../../model/agents/agent.js';
import { limitMs } from '../../../model/duration.js';
import type { Failure } from '../../../model/failure.js';
import type { Price } from '../../../model/generated/config.js';
import type { Clock, CommandRunner } from '../../../model/ports.js';
import { redact } from '../../../model/secrets/redact.js';
import { commandFailure } from '../../../run/attempt/stage-context.js';
import { supervise } from '../../../run/attempt/supervise.js';
import { classify } from '../../../run/errors/error-class.js';
import { tellingLine } from '../../../run/errors/error-lines.js';
import { readable } from '../../../run/errors/said-lines.js';
import type { Environment } from '../../command/environment.js';
import { idleWatch } from '../../command/idle-watch.js';
import { lastBytes, tailLines } from '../../command/last-line.js';
import { appendPlain, writePlain } from '../../disk/plain-file.js';
import { passedVariables } from '../../process/allowed-environment.js';
import { helpersIn } from '../cli/helper-count.js';
import { lastJsonObject } from '../cli/last-json.js';
import { keepReply } from '../keep-reply.js';
import { CommandSpending } from './command-spending.js';
import { costIn } from './reply-cost.js';

export interface CommandAgentPorts {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  /** The runner's whole environment; of it the program gets what `passEnv` names. */
  readonly env: Environment;
  readonly prices?: { readonly [model: string]: Price };
  words(failure: Failure): string;
}

/** Any program: the prompt arrives on its standard input, its reply is the last JSON object on its standard output. */
export class CommandAgent implements Agents {
  readonly #ports: CommandAgentPorts;

  constructor(ports: CommandAgentPorts) {
    this.#ports = ports;
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const files = filesIn(request.dir);
    writePlain(files.prompt, request.prompt);
    const session = { id: request.session?.id ?? randomUUID() };
    // Something else may have written to the log before; only what the program prints from now on can be its reply.
    const before = sizeOf(files.stdoutFile);
    const spending = new CommandSpending(files.stdoutFile, request, this.#ports.prices);
    const failure = await this.#run({ ...request, session }, { files, spending }, signals);
    spending.lastLook();
    const printed = sizeOf(files.stdoutFile) - before;
    const last = lastJsonObject(lastBytes(files.stdoutFile, Math.min(Math.max(0, printed), mostBytes)));
    const { reply, trouble } = helpersIn(last, request.helpers);
    if (reply) keepReply(files.reply, reply);
    const cost = spending.atLeast(costIn(reply));
    const hasCap = request.agent.limits?.usd !== undefined;
    // A limit that was crossed is not talked away by what was printed before or after, nor by how it ended then.
    if (spending.over && failure?.code !== 'cancelled') return { ok: false, ...spending.over, session };
    if (hasCap && spending.unreadable && failure?.code !== 'cancelled')
      return { ok: false, ...spending.unreadable, session };
    // What a program that failed says it cost is what it had cost by then, so only more than the cap is news.
    if (failure) {
      const cap = request.agent.limits?.usd ?? Number.POSITIVE_INFINITY;
      const usd = cost.usd !== undefined && cost.usd > cap ? { usd: cost.usd } : {};
      return { ok: false, ...this.#trouble(failure, files), session, ...usd };
    }
    if (trouble !== undefined) return { ok: false, why: 'too-many-helpers', detail: trouble, session, ...cost };
    return { ok: true, reply, session, ...cost };
  }

  /** A program of the user's has no field for a quota, so its own last words count, as those of a command do. */
  #trouble(
    failure: Failure,
    { stderrFile }: Files,
  ): Pick<Extract<AgentAnswer, { ok: false }>, 'why' | 'detail' | 'resetAt'> {
    const why = troubleOf(failure);
    const stderr = tailLines(stderrFile, saidLines);
    const words = this.#ports.words(failure);
    if (why !== 'crashed') return { why, detail: words };
    const last = tellingLine(readable(stderr), []);
    const detail = last === undefined ? words : `${words}: ${redact(last)}`;
    const { errorClass, resetAt } = classify(failure, { stdout: [], stderr }, { nowMs: this.#ports.clock.now() });
    if (errorClass === 'quota') return { why: 'quota', detail, ...(resetAt === undefined ? {} : { resetAt }) };
    return { why: errorClass === 'transient' ? 'overloaded' : 'crashed', detail };
  }

  async #run(
    request: AgentRequest,
    { files, spending }: { readonly files: Files; readonly spending: CommandSpending },
    { stop, kill }: CallSignals,
  ): Promise<Failure | undefined> {
    const { commands, clock } = this.#ports;
    const { timeout, idle } = request.agent.limits ?? {};
    const [timeoutMs, idleMs] = [limitMs(timeout), limitMs(idle)];
    const end = await supervise(
      {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(idleMs === undefined ? {} : { idleMs }),
        clock,
        stop,
        kill,
        watchIdle: (ms, onIdle) => idleWatch({ ...files, idleMs: ms, clock, onIdle }),
      },
      async (supervisor) => {
        const run = request.agent.run!;
        const { stdoutFile, stderrFile, prompt } = files;
        const passed = passedVariables(this.#ports.env, request.agent.passEnv);
        const env = { ...passed, ...request.env, ...variablesOf(request, files) };
        const command = commands.start({
          run,
          cwd: request.cwd,
          env,
          stdoutFile,
          stderrFile,
          stdinFile: prompt,
          leavesNothing: true,
        });
        supervisor.adopt(command);
        const unfollow = spending.follow(clock, () => command.stop());
        const failure = commandFailure(await command.exit.finally(unfollow), run);
        return failure ? { ok: false, failure } : { ok: true };
      },
    );
    return end.ok ? undefined : end.failure;
  }
}

/** What the end of a process says about why there is no answer. */
export function troubleOf({ code }: Failure): AgentTrouble {
  switch (code) {
    case 'command-not-found':
      return 'not-installed';
    case 'timed-out':
      return 'timed-out';
    case 'idle-timed-out':
      return 'idle';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'crashed';
  }
}

type Files = ReturnType<typeof filesIn>;

/** The logs are there from the start, so that reading them after a program that printed nothing is no error. */
function filesIn(dir: string): Record<'prompt' | 'reply' | 'stdoutFile' | 'stderrFile', string> {
  const [stdoutFile, stderrFile] = [join(dir, 'stdout.log'), join(dir, 'stderr.log')];
  for (const file of [stdoutFile, stderrFile]) appendPlain(file, '');
  return { prompt: join(dir, 'prompt.md'), reply: join(dir, 'reply.json'), stdoutFile, stderrFile };
}

const variablesOf = (
  { name, role, agent, cwd, access, helpers, scope, session }: AgentRequest,
  { prompt }: Files,
): Record<string, string> => ({
  AUTORESEARCH_AGENT: name,
  AUTORESEARCH_ROLE: role,
  AUTORESEARCH_WORKDIR: cwd,
  AUTORESEARCH_PROMPT_FILE: prompt,
  AUTORESEARCH_ACCESS: access,
  AUTORESEARCH_HELPERS: String(helpers),
  AUTORESEARCH_SESSION: session?.id ?? '',
  ...(scope ? { AUTORESEARCH_SCOPE: scope.join('\n') } : {}),
  ...(agent.model === undefined ? {} : { AUTORESEARCH_MODEL: agent.model }),
  ...(agent.limits?.turns === undefined ? {} : { AUTORESEARCH_MAX_TURNS: String(agent.limits.turns) }),
  ...(agent.limits?.usd === undefined ? {} : { AUTORESEARCH_MAX_USD: String(agent.limits.usd) }),
});

/** None, when the program has taken it away. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const saidLines = 60;

/** A reply is short; an agent that printed gigabytes before it must not fill the memory. */
const mostBytes = 1 << 20;
