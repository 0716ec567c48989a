import type { Clock, CommandExit, LogPipes, RunningCommand } from '../../model/ports.js';
import { groupOf } from '../process/known-process.js';
import { leaveTrace } from './process-trace.js';
import { processIds, type Sweeper } from './sweeper.js';

export interface LiveCommandOptions {
  /** The id in the command's marker. */
  readonly id: string;
  readonly clock: Clock;
  readonly graceMs: number;
  /** SIGTERM unless stated. */
  readonly stopSignal?: 'SIGINT' | undefined;
  readonly leavesNothing?: boolean | undefined;
  readonly through?: LogPipes | undefined;
  readonly sweeper: Sweeper;
  /** Where a command that takes long says which process it is. */
  readonly traceFile: string;
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
  #cancelTrace: () => void = () => {};

  constructor(private readonly options: LiveCommandOptions) {
    this.exit = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The signal that was asked for, if any. */
  get wish(): EndSignal | undefined {
    return this.#wish === 'none' ? undefined : this.#wish === 'stop' ? this.#stopSignal : 'SIGKILL';
  }

  get #stopSignal(): EndSignal {
    return this.options.stopSignal ?? 'SIGTERM';
  }

  get over(): boolean {
    return this.#over;
  }

  /** `group` is the process id of the command and the id of its process group. */
  begun(group: number): void {
    this.#group = group;
    const { clock, traceFile } = this.options;
    this.#cancelTrace();
    this.#cancelTrace = clock.after(traceAfterMs, () => leaveTrace(traceFile, group));
    if (this.wish !== undefined) this.#signal(this.wish);
  }

  /**
   * The command has ended, and what was left of its group was killed. After a stop, what escaped the group goes too, and so does
   * what a program with a stop signal of its own leaves: it is known to put its commands into other groups. The group was
   * killed by then, but who is dying has given back its environment, and with it the marker, before it is gone. How it ended
   * is asked for last, because that may stand in the logs.
   */
  ended(exit: () => CommandExit): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelTimer();
    this.#cancelTrace();
    const { stopSignal, leavesNothing, through, sweeper, id } = this.options;
    const isClean = this.#wish === 'none' && stopSignal === undefined && !leavesNothing;
    if (isClean && !through) this.#resolve(exit());
    else
      void Promise.resolve(isClean ? undefined : sweeper.sweep(id).then(() => this.#groupGone()))
        .then(() => through?.drained())
        .then(() => this.#resolve(exit()));
  }

  /**
   * The command itself has ended, and the rest of its group is to be killed. When it was asked to stop, that waits until
   * the rest has ended by itself or its time is up: a shell dies at once, while the program it ran still saves its work.
   */
  whenRestMayGo(goOn: () => void): void {
    if (this.#over) return;
    if (this.#wish !== 'stop' || this.#group === undefined || !isGroupAlive(this.#group)) goOn();
    // Not the injected clock: this waits for the kernel, it does not measure time.
    else setTimeout(() => this.whenRestMayGo(goOn), 20);
  }

  async #groupGone(): Promise<void> {
    if (this.#group === undefined) return;
    for (let round = 0; round < maxRounds && isGroupAlive(this.#group); round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  stop(): void {
    if (this.#over || this.#wish !== 'none') return;
    this.#wish = 'stop';
    this.#signal(this.#stopSignal);
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

  #signal(signal: EndSignal): void {
    if (this.#group === undefined) return;
    signalGroup(this.#group, signal);
    // A stopped process does not notice any other before it is continued.
    if (signal !== 'SIGKILL') signalGroup(this.#group, 'SIGCONT');
  }
}

type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  // To the system, group 0 is our own and group 1 is everybody.
  if (!Number.isSafeInteger(group) || group <= 1) throw new Error(`not a process group: ${group}`);
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already, or not ours any more.
  }
}

/** A zombie has ended; where nobody buries it, its group is there for ever. */
function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  return processIds().some((pid) => groupOf(pid) === group);
}

/** A process in the kernel's uninterruptible sleep cannot be ended; one second is enough to know. */
const maxRounds = 500;

/** Short commands are spared the file; of those that were lost in their first second, the marker has to be enough. */
const traceAfterMs = 1000;

/** Dying of SIGKILL takes microseconds. Who is not gone by then hangs in the kernel or lost the one who reports it. */
const abandonMs = 5000;
