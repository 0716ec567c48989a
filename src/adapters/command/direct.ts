import { closeSync, openSync } from 'node:fs';
import type { Clock, CommandExit, CommandRunner, CommandSpec, RunningCommand } from '../../model/ports.js';
import { type Environment, inheritedEnvironment, markerName, markerOf } from './environment.js';
import { loadExeca, type Options, type ResultPromise } from './execa.js';
import { LiveCommand, signalGroup } from './live-command.js';
import { type PreparedCommand, prepareCommand } from './prepare-command.js';
import { traceFile } from './process-trace.js';
import { refused } from './refused.js';
import { Sweeper } from './sweeper.js';
import { notStarted, whyNotStarted } from './why-not-started.js';

export interface DirectRunnerOptions {
  readonly clock: Clock;
  readonly env: Environment;
  readonly graceMs: number;
  /** Begins the id of each command. */
  readonly runner: string;
}

/**
 * Starts each command from Node itself, for systems without bash. Slower than the warden, and without its lifeline:
 * a runner that is killed with SIGKILL leaves its commands running. An ordinary exit of the runner ends them.
 */
export class DirectRunner implements CommandRunner {
  readonly #sweeper = new Sweeper();
  /** Running commands and their process group, once there is one. */
  readonly #running = new Map<LiveCommand, number | undefined>();
  readonly #inherited: Record<string, string>;
  readonly #onProcessExit = (): void => {
    for (const group of this.#running.values()) if (group !== undefined) signalGroup(group, 'SIGKILL');
  };
  #commands = 0;
  #closing: Promise<void> | undefined;

  constructor(private readonly options: DirectRunnerOptions) {
    this.#inherited = inheritedEnvironment(options.env);
  }

  start(spec: CommandSpec): RunningCommand {
    if (this.#closing !== undefined) return refused(notStarted('the runner is closed'));
    const prepared = prepareCommand(spec, this.options.env.PATH);
    if (!prepared.ok) return refused(prepared.error);
    if (this.#commands === 0) process.once('exit', this.#onProcessExit);
    const id = `${this.options.runner}.${++this.#commands}`;
    const live: LiveCommand = new LiveCommand({
      ...this.options,
      id,
      stopSignal: spec.stopSignal,
      leavesNothing: spec.leavesNothing,
      through: spec.through,
      sweeper: this.#sweeper,
      traceFile: traceFile(prepared.value.stdoutFile),
      abandon: () => this.#end(live, { kind: 'signalled', signal: 'SIGKILL' }),
    });
    this.#running.set(live, undefined);
    this.#run(prepared.value, live, id).then(
      (exit) => this.#end(live, exit),
      (error: Error) => this.#end(live, { kind: 'not-started', failure: whyNotStarted(prepared.value, error.message) }),
    );
    return live;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #run(command: PreparedCommand, live: LiveCommand, id: string): Promise<CommandExit> {
    const execa = await loadExeca();
    if (live.wish !== undefined) return { kind: 'signalled', signal: live.wish };
    const env = { ...this.#inherited, PWD: command.cwd, ...command.env, [markerName]: markerOf(this.options.env, id) };
    const process = withFiles(command, (stdio) => execa(command.program, command.args, optionsOf(command, env, stdio)));
    const group = process.pid;
    if (group !== undefined) {
      this.#running.set(live, group);
      live.begun(group);
    }
    const { exitCode, signal, originalMessage } = await process;
    // What the command left behind in its group goes with it.
    if (group !== undefined) {
      await new Promise<void>((goOn) => live.whenRestMayGo(goOn));
      signalGroup(group, 'SIGKILL');
    }
    if (signal !== undefined) return { kind: 'signalled', signal };
    if (exitCode !== undefined) return { kind: 'exited', exitCode };
    return { kind: 'not-started', failure: whyNotStarted(command, originalMessage ?? 'the system gave no reason') };
  }

  #end(live: LiveCommand, exit: CommandExit): void {
    this.#running.delete(live);
    live.ended(() => exit);
  }

  async #close(): Promise<void> {
    for (const live of this.#running.keys()) live.kill();
    await Promise.all([...this.#running.keys()].map((live) => live.exit));
    process.removeListener('exit', this.#onProcessExit);
    if (this.#commands > 0) await this.#sweeper.sweep(this.options.runner);
  }
}

type Started = ResultPromise<Options>;

/** Output goes straight to the files: no pipe, so a straggler that keeps it open holds nobody up. */
function withFiles(command: PreparedCommand, start: (stdio: Stdio) => Started): Started {
  const open: number[] = [];
  try {
    open.push(openSync(command.stdinFile, 'r'));
    open.push(openSync(command.stdoutTo, modeFor(command.stdoutFile, command.stdoutTo)));
    open.push(openSync(command.stderrTo, modeFor(command.stderrFile, command.stderrTo)));
    return start(open as unknown as Stdio);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

/** A pipe that nobody reads any more would hold us up for ever, unless it is opened for both. */
const modeFor = (log: string, to: string): 'a' | 'r+' => (log === to ? 'a' : 'r+');

type Stdio = readonly [stdin: number, stdout: number, stderr: number];

/** As little of execa as possible. `cleanup` has no effect on a detached process, so we do that ourselves. */
const optionsOf = (
  { calledAs, cwd }: PreparedCommand,
  env: { readonly [name: string]: string },
  stdio: Stdio,
): Options => ({
  argv0: calledAs,
  cwd,
  env,
  extendEnv: false,
  detached: true,
  cleanup: false,
  buffer: false,
  reject: false,
  // Any descriptor works; the types list only the first few.
  stdin: stdio[0] as 3,
  stdout: stdio[1] as 3,
  stderr: stdio[2] as 3,
});
