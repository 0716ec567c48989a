import type { Failure } from '../../model/failure.js';
import type { CommandExit, CommandRunner, CommandSpec, RunningCommand } from '../../model/ports.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { Environment } from '../command/environment.js';
import { appendPlain } from '../disk/plain-file.js';
import type { Scribe, ScribeWish } from './scribe.js';

export interface HidingOptions {
  readonly commands: CommandRunner;
  readonly secrets: Secrets;
  /** The runner's. */
  readonly env: Environment;
}

/**
 * Lets commands that know a secret write their logs through the scribe, so that its value never stands in one, not even while
 * they run. All others write straight into the files.
 */
export function hidingRunner({ commands, secrets, env }: HidingOptions): CommandRunner {
  if (secrets.names.length === 0) return commands;
  const names = new Set(secrets.names);
  const sets = new Map<string, Secrets>();
  let scribe: Promise<Scribe> | undefined;
  let closing: Promise<void> | undefined;
  const known = ({ mayKnow, env: variables }: CommandSpec): Secrets | undefined => {
    if (mayKnow === 'all') return secrets;
    const told = Object.keys(variables).filter((name) => names.has(name));
    if (told.length === 0) return undefined;
    const key = told.join(' ');
    if (!sets.has(key)) sets.set(key, secrets.of(told));
    return sets.get(key);
  };
  return {
    start(spec) {
      const hidden = known(spec);
      if (!hidden) return commands.start(spec);
      scribe ??= import('./scribe.js').then((module) => new module.Scribe(env));
      return new HiddenCommand({ spec, secrets: hidden, commands, scribe });
    },
    close() {
      closing ??= commands.close().then(async () => (await scribe)?.close());
      return closing;
    },
  };
}

/** The command has done some of its work or all of it, and nobody knows what it said. */
function afterTrouble(failure: Failure, stderrFile: string): CommandExit {
  if (failure.code !== 'command-not-started') return { kind: 'not-started', failure };
  try {
    appendPlain(stderrFile, `autoresearch: ${failure.detail}; this command was killed with it\n`);
  } catch {
    // The exit alone has to tell.
  }
  return { kind: 'signalled', signal: 'SIGKILL' };
}

interface HiddenOptions {
  readonly spec: CommandSpec;
  readonly secrets: Secrets;
  readonly commands: CommandRunner;
  readonly scribe: Promise<Scribe>;
}

/** What is wished for before the scribe is ready is kept until then. */
class HiddenCommand implements RunningCommand {
  readonly exit: Promise<CommandExit>;
  #running: RunningCommand | undefined;
  #wish: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | undefined;
  /** Why the logs are not whole. */
  #trouble: Failure | undefined;

  constructor(private readonly options: HiddenOptions) {
    this.exit = this.#run();
  }

  stop(): void {
    this.#wish ??= this.options.spec.stopSignal ?? 'SIGTERM';
    this.#running?.stop();
  }

  kill(): void {
    this.#wish = 'SIGKILL';
    this.#running?.kill();
  }

  async #run(): Promise<CommandExit> {
    const { spec, secrets, commands, scribe } = this.options;
    const { stdoutFile, stderrFile, mostLogBytes: most } = spec;
    const onTrouble: ScribeWish['onTrouble'] = (failure) => {
      this.#trouble ??= failure;
      this.#running?.kill();
    };
    const wish = { secrets, stdoutFile, stderrFile, onTrouble, ...(most === undefined ? {} : { most }) };
    const opened = await (await scribe).open(wish);
    if (!opened.ok) return { kind: 'not-started', failure: opened.error };
    if (this.#wish !== undefined || this.#trouble) {
      await opened.value.drained();
      return this.#trouble
        ? { kind: 'not-started', failure: this.#trouble }
        : { kind: 'signalled', signal: this.#wish! };
    }
    this.#running = commands.start({ ...spec, through: opened.value });
    const exit = await this.#running.exit;
    // A runner that refused it has not waited for this.
    await opened.value.drained();
    return this.#trouble ? afterTrouble(this.#trouble, stderrFile) : exit;
  }
}
