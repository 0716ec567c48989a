import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentAnswer, AgentRequest, Agents, AnswerFacts, CallSignals } from '../../../model/agents/agent.js';
import { limitMs } from '../../../model/duration.js';
import type { Failure } from '../../../model/failure.js';
import type { Price } from '../../../model/generated/config.js';
import type { Clock, CommandExit, CommandRunner } from '../../../model/ports.js';
import { redact } from '../../../model/secrets/redact.js';
import { type Supervisor, supervise } from '../../../run/attempt/supervise.js';
import type { Environment } from '../../command/environment.js';
import { idleWatch } from '../../command/idle-watch.js';
import { tailLines } from '../../command/last-line.js';
import { writePlain } from '../../disk/plain-file.js';
import { passedVariables } from '../../process/allowed-environment.js';
import { troubleOf } from '../command/command-agent.js';
import { keepReply } from '../keep-reply.js';
import { CliCall } from './cli-call.js';
import type { CallFiles, CliDialect, CliEnd, ReaderAround } from './cli-dialect.js';
import { cliPackages } from './cli-packages.js';

export interface CliAgentPorts {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  /** The runner's whole environment; what of it a CLI gets is for the dialect and the config to name. */
  readonly env: Environment;
  readonly prices?: { readonly [model: string]: Price };
  words(failure: Failure): string;
}

/**
 * A coding CLI. It finds the prompt on its standard input and prints events, a line each, into a file that is read while
 * it grows. What the lines mean is the dialect's business; limits and the end are decided here, whatever the lines say.
 */
export class CliAgent implements Agents {
  readonly #ports: CliAgentPorts;
  readonly #dialect: CliDialect;

  constructor(ports: CliAgentPorts, dialect: CliDialect) {
    this.#ports = ports;
    this.#dialect = dialect;
  }

  async ask(request: AgentRequest, signals: CallSignals): Promise<AgentAnswer> {
    const files = filesIn(request.dir);
    writePlain(files.prompt, request.prompt);
    const refused = this.#dialect.refuse?.(request);
    if (refused !== undefined) return { ok: false, why: 'refused', detail: refused };
    const reader = this.#dialect.reader(request, this.#around(request));
    const call = new CliCall({ reader, request, events: files.events });
    const failure = await this.#run(request, { files, call, signals });
    const answer = call.end({
      ...(failure ? { failure, words: this.#words(failure, request) } : {}),
      stderr: tailLines(files.stderr, stderrLines).map(redact).join('\n'),
    });
    const settled = this.#settled(answer, { request, failure, overrun: call.overrun });
    if (settled.ok && settled.reply) keepReply(join(request.dir, 'reply.json'), settled.reply);
    return settled;
  }

  async #run(request: AgentRequest, { files, call, signals }: Running): Promise<Failure | undefined> {
    const { clock } = this.#ports;
    const [timeoutMs, idleMs] = [limitMs(request.agent.limits?.timeout), limitMs(request.agent.limits?.idle)];
    const logs = { stdoutFile: files.events, stderrFile: files.stderr };
    const end = await supervise(
      {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(idleMs === undefined ? {} : { idleMs }),
        clock,
        ...signals,
        watchIdle: (ms, onIdle) => idleWatch({ ...logs, idleMs: ms, clock, onIdle }),
      },
      async (supervisor) => {
        const failure = failureOf(await this.#start(request, { files, call, supervisor }));
        return failure ? { ok: false, failure } : { ok: true };
      },
    );
    return end.ok ? undefined : end.failure;
  }

  async #start(request: AgentRequest, { files, call, supervisor }: Starting): Promise<CommandExit> {
    const { commands, clock } = this.#ports;
    const invocation = this.#dialect.invoke(request, files);
    for (const [path, content] of Object.entries(invocation.files ?? {})) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    const command = commands.start({
      run: [this.#program(request), ...invocation.args],
      cwd: request.cwd,
      // What the dialect sets is what its guards rest on, so it comes last.
      env: { ...this.#around(request).env, ...invocation.env },
      stdoutFile: files.events,
      stderrFile: files.stderr,
      stdinFile: files.prompt,
      stopSignal: 'SIGINT',
    });
    supervisor.adopt(command);
    const unfollow = call.follow(clock, () => command.stop());
    try {
      return await command.exit;
    } finally {
      unfollow();
    }
  }

  #around(request: AgentRequest): ReaderAround {
    const { env, prices = {} } = this.#ports;
    const { model, passEnv = [] } = request.agent;
    const named = [...always, ...this.#dialect.variables, ...passEnv];
    const price = model === undefined ? undefined : prices[model];
    return { env: { ...passedVariables(env, named), ...request.env }, ...(price ? { price } : {}) };
  }

  /** A limit that was crossed is not talked away by what the program printed before or after. */
  #settled(answer: AgentAnswer, { request, failure, overrun }: Ending): AgentAnswer {
    const why = failure && troubleOf(failure);
    const facts = factsOf(answer);
    if (overrun && why !== 'cancelled') {
      const reset = answer.ok || answer.resetAt === undefined ? {} : { resetAt: answer.resetAt };
      return { ...cutShort(facts, request), ok: false, ...overrun, detail: redact(overrun.detail), ...reset };
    }
    if (failure && why !== undefined && (answer.ok || why !== 'crashed'))
      return { ...cutShort(facts, request), ok: false, why, detail: this.#words(failure, request) };
    return answer.ok ? answer : { ...answer, detail: redact(answer.detail) };
  }

  #words(failure: Failure, request: AgentRequest): string {
    if (failure.code !== 'command-not-found') return this.#ports.words(failure);
    const name = this.#program(request);
    const from = cliPackages[this.#dialect.program];
    const where = request.agent.path === undefined ? `${name} is not on the PATH` : `there is no ${name}`;
    return from === undefined ? where : `${where}; install it with npm install -g ${from}`;
  }

  readonly #program = ({ agent }: AgentRequest): string => agent.path ?? this.#dialect.program;
}

interface Running {
  readonly files: CallFiles;
  readonly call: CliCall;
  readonly signals: CallSignals;
}

interface Starting extends Omit<Running, 'signals'> {
  readonly supervisor: Supervisor;
}

interface Ending {
  readonly request: AgentRequest;
  readonly failure: Failure | undefined;
  readonly overrun: CliEnd['overrun'];
}

/** Where programs are, and where each of them keeps who is logged in. */
const always = ['PATH', 'HOME'];

const stderrLines = 20;

/** The logs are there from the start, so that reading them after a program that printed nothing is no error. */
function filesIn(dir: string): CallFiles {
  const [events, stderr] = [join(dir, 'events.jsonl'), join(dir, 'stderr.log')];
  for (const file of [events, stderr]) writeFileSync(file, '', { flag: 'a' });
  return { dir, prompt: join(dir, 'prompt.md'), events, stderr };
}

/** Unlike a shell's, a CLI's own exit code 127 does not mean that there is no such program. */
function failureOf(exit: CommandExit): Failure | undefined {
  if (exit.kind === 'not-started') return exit.failure;
  if (exit.kind === 'signalled') return { code: 'command-killed', signal: exit.signal };
  return exit.exitCode === 0 ? undefined : { code: 'command-failed', exitCode: exit.exitCode };
}

function factsOf({ usd, isPriced, tokens, session, turns, model }: AgentAnswer): AnswerFacts {
  return {
    ...(usd === undefined ? {} : { usd }),
    ...(isPriced ? { isPriced } : {}),
    ...(tokens === undefined ? {} : { tokens }),
    ...(session === undefined ? {} : { session }),
    ...(turns === undefined ? {} : { turns }),
    ...(model === undefined ? {} : { model }),
  };
}

/** What was under way when it was ended costs money too, and nobody told how much. Only more than the cap is news. */
function cutShort({ usd, isPriced, tokens, ...facts }: AnswerFacts, { agent }: AgentRequest): AnswerFacts {
  const cap = agent.limits?.usd ?? Number.POSITIVE_INFINITY;
  return usd !== undefined && usd > cap ? { ...facts, usd, ...(isPriced ? { isPriced } : {}) } : facts;
}
