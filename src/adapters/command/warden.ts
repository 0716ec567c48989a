import type { Clock, CommandRunner, CommandSpec, RunningCommand } from '../../model/ports.js';
import { commandCode } from './command-code.js';
import { type Environment, inheritedEnvironment, markerName, markerOf, splitForBash } from './environment.js';
import { LiveCommand } from './live-command.js';
import { type PreparedCommand, prepareCommand } from './prepare-command.js';
import { traceFile } from './process-trace.js';
import { ProgramKinds } from './program-kinds.js';
import { refused } from './refused.js';
import { type SimpleCommand, simpleCommand } from './simple-command.js';
import { Sweeper } from './sweeper.js';
import { wardenExit } from './warden-exit.js';
import { WardenHelper } from './warden-helper.js';
import type { WardenSlot } from './warden-slot.js';
import { notStarted } from './why-not-started.js';

export interface WardenOptions {
  /** Absolute path of a bash. */
  readonly bash: string;
  readonly clock: Clock;
  readonly env: Environment;
  /** Commands that one helper can run at once; asking for more starts another helper. */
  readonly maxSlots: number;
  readonly graceMs: number;
  /** Begins the id of each command. */
  readonly runner: string;
  /** Start the first helper at once, with a slot that waits for a command. */
  readonly warm?: boolean;
}

/**
 * Runs commands through a standing bash. That is faster than spawning from Node, does not get slower as the runner's
 * memory grows, and lets the commands end with the runner even when it dies of SIGKILL (see `warden-script`).
 *
 * A status above 128 counts as a signal only when bash says that one came: `git` exits with 129 of its own accord.
 */
export class Warden implements CommandRunner {
  readonly #sweeper = new Sweeper();
  readonly #running = new Set<LiveCommand>();
  readonly #programs = new ProgramKinds();
  /** A copy, because each look into `process.env` itself is slow. */
  readonly #env: Environment;
  readonly #held: Record<string, string>;
  readonly #late: Record<string, string>;
  #helpers: WardenHelper[] = [];
  #commands = 0;
  #closing: Promise<void> | undefined;

  constructor(private readonly options: WardenOptions) {
    this.#env = { ...options.env };
    const { held, late } = splitForBash(inheritedEnvironment(this.#env));
    const outer = this.#env[markerName];
    // A runner outside this one that is to end everything finds the helper too.
    this.#held = outer === undefined ? held : { ...held, [markerName]: outer };
    this.#late = late;
    if (options.warm === true) this.#warmUp();
  }

  start(spec: CommandSpec): RunningCommand {
    if (this.#closing !== undefined) return refused(notStarted('the runner is closed'));
    const prepared = prepareCommand(spec, this.#env.PATH);
    if (!prepared.ok) return refused(prepared.error);
    const id = `${this.options.runner}.${++this.#commands}`;
    const variables = { ...this.#late, ...spec.env, [markerName]: markerOf(this.#env, id) };
    const code = commandCode(prepared.value, variables, this.#simple(spec));
    if (code === undefined) return refused(notStarted(`${prepared.value.program} has = in its path`));
    try {
      return this.#run(prepared.value, { id, code, spec });
    } catch (error) {
      return refused(notStarted(`bash could not be started: ${(error as Error).message}`));
    }
  }

  #simple({ run, env }: CommandSpec): SimpleCommand | undefined {
    const simple = typeof run === 'string' ? simpleCommand(run) : undefined;
    if (!simple) return undefined;
    const isExecuted = (): boolean => this.#programs.isExecutedBySystem(simple.program, env.PATH ?? this.#env.PATH);
    if (!simple.isBuiltIn && !isExecuted()) return undefined;
    // The system may refuse these, and then the shell is the one to say so.
    for (const name in env) if (env[name]!.length > longValue) return undefined;
    return simple;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #warmUp(): void {
    try {
      this.#freeSlot();
    } catch {
      // The first command tries again and tells.
    }
  }

  #run(command: PreparedCommand, { id, code, spec }: Start): RunningCommand {
    const { helper, slot } = this.#freeSlot();
    const { clock, graceMs } = this.options;
    const live = new LiveCommand({
      id,
      clock,
      graceMs,
      stopSignal: spec.stopSignal,
      leavesNothing: spec.leavesNothing,
      through: spec.through,
      sweeper: this.#sweeper,
      traceFile: traceFile(command.stdoutFile),
      abandon: () => slot.discard(),
    });
    this.#running.add(live);
    slot.run(code, {
      started: (pid) => live.begun(pid),
      signalled: (goOn) => live.whenRestMayGo(goOn),
      ended: (end) => {
        const { wish } = live;
        if (end.kind === 'lost') live.kill();
        this.#running.delete(live);
        const { condition } = helper;
        live.ended(() => wardenExit(command, end, { wish, ...condition }));
      },
    });
    return live;
  }

  #freeSlot(): { helper: WardenHelper; slot: WardenSlot } {
    this.#helpers = this.#helpers.filter((helper) => helper.broken === undefined);
    for (const helper of this.#helpers) {
      const slot = helper.freeSlot();
      if (slot !== undefined) return { helper, slot };
    }
    const { bash, clock } = this.options;
    const slots = Math.min(this.options.maxSlots, mostSlots);
    const helper = new WardenHelper({ bash, clock, env: this.#held, runner: this.options.runner, slots });
    this.#helpers.push(helper);
    return { helper, slot: helper.freeSlot()! };
  }

  async #close(): Promise<void> {
    for (const live of this.#running) live.kill();
    await Promise.all([...this.#running].map((live) => live.exit));
    const swept = this.#commands === 0 ? undefined : this.#sweeper.sweepLast(this.options.runner);
    await Promise.all([swept, ...this.#helpers.map((helper) => helper.close())]);
  }
}

interface Start {
  readonly id: string;
  readonly code: string;
  readonly spec: CommandSpec;
}

const longValue = 50_000;

/** Sockets are made with the helper, needed or not. Who runs hundreds at once gets several helpers instead. */
const mostSlots = 32;
