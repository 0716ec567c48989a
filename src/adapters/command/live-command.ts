import type { Clock, CommandExit, RunningCommand } from '../../model/ports.js';
import type { Sweeper } from './sweeper.js';

export interface LiveCommandOptions {
  /** The id in the command's marker. */
  readonly id: string;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly sweeper: Sweeper;
  /** Called when even SIGKILL brought no end; has to call `ended`. */
  abandon(): void;
}

/** How a command is ended, whoever runs it. Wishes that come before its start is known are kept until then. */
export class LiveCommand implements RunningCommand {
  readonly exit: Promise<CommandExit>;
  #resolve!: (exit: CommandExit) => void;
  #group: number | undefined;
  #wish: 'none' | 'stop' | 'kill' = 'none';
  #over = false;
  #cancelTimer: () => void = () => {};

  constructor(private readonly options: LiveCommandOptions) {
    this.exit = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The signal that was asked for, if any. */
  get wish(): 'SIGTERM' | 'SIGKILL' | undefined {
    return this.#wish === 'none' ? undefined : this.#wish === 'stop' ? 'SIGTERM' : 'SIGKILL';
  }

  get over(): boolean {
    return this.#over;
  }

  /** `group` is the process id of the command and the id of its process group. */
  begun(group: number): void {
    this.#group = group;
    if (this.wish !== undefined) this.#signal(this.wish);
  }

  /** The command has ended and nothing of its group is left. After a stop, what escaped the group goes too. */
  ended(exit: CommandExit): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelTimer();
    if (this.#wish === 'none') this.#resolve(exit);
    else void this.options.sweeper.sweep(this.options.id).then(() => this.#resolve(exit));
  }

  stop(): void {
    if (this.#over || this.#wish !== 'none') return;
    this.#wish = 'stop';
    this.#signal('SIGTERM');
    this.#cancelTimer = this.options.clock.after(this.options.graceMs, () => this.kill());
  }

  kill(): void {
    if (this.#over || this.#wish === 'kill') return;
    this.#wish = 'kill';
    this.#cancelTimer();
    this.#signal('SIGKILL');
    void this.options.sweeper.sweep(this.options.id);
    this.#cancelTimer = this.options.clock.after(abandonMs, () => this.options.abandon());
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#group === undefined) return;
    signalGroup(this.#group, signal);
    // A stopped process does not notice SIGTERM before it is continued.
    if (signal === 'SIGTERM') signalGroup(this.#group, 'SIGCONT');
  }
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  // To the system, group 0 is our own and group 1 is everybody.
  if (!Number.isSafeInteger(group) || group <= 1) throw new Error(`not a process group: ${group}`);
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already, or not ours any more.
  }
}

/** Dying of SIGKILL takes microseconds. Who is not gone by then hangs in the kernel or lost the one who reports it. */
const abandonMs = 5000;
