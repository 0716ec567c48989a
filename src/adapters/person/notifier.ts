import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, CommandRunner } from '../../model/ports.js';

export interface NotifierOptions {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  /** Absolute: where notifications run. */
  readonly cwd: string;
  /** Where their logs go; made when the first one is sent. */
  readonly dir: string;
  /** Takes out of `dir` what must not stay there; called after each one. */
  scrub?(): Promise<void>;
  /** Told the first time one fails. */
  onProblem(text: string): void;
}

export interface Notification {
  readonly run: string;
  /** What the command reads on its standard input. */
  readonly input: string;
  readonly env: { readonly [name: string]: string };
}

/**
 * Runs notification commands, one after the other, beside the run. Whatever they do, the run goes on: one that fails is
 * written down in notify.log, one that hangs is ended.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #sent = 0;
  #hasComplained = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  send(notification: Notification): void {
    // A slow notifier of a run with ten thousand tasks must not fill the memory; the newest are the ones to drop.
    if (this.#waiting >= mostWaiting) {
      this.complain('notifications are sent faster than they are done; some were dropped');
      return;
    }
    this.#waiting += 1;
    this.#queue = this.#queue
      .then(() => this.#run(notification))
      .catch((error: Error) => this.complain(error.message))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** Waits for those under way, but not for ever. */
  async close(): Promise<void> {
    let cancel = (): void => {};
    const late = new Promise<'late'>((resolve) => {
      cancel = this.#options.clock.after(closingMs, () => resolve('late'));
    });
    const end = await Promise.race([this.#queue, late]);
    cancel();
    if (end === 'late') this.complain('the last notifications took too long and were given up');
  }

  async #run({ run, input, env }: Notification): Promise<void> {
    const { commands, clock, cwd, dir } = this.#options;
    mkdirSync(dir, { recursive: true });
    const number = ++this.#sent;
    const stdinFile = join(dir, 'event.json');
    writeFileSync(stdinFile, `${input}\n`);
    const log = join(dir, 'notify.log');
    appendFileSync(log, `${new Date(clock.now()).toISOString()} ${number} ${run}\n`);
    const command = commands.start({
      run: `${sizeLimit}${run}`,
      cwd,
      env,
      stdoutFile: log,
      stderrFile: log,
      stdinFile,
      mostLogBytes,
    });
    const cancel = clock.after(patienceMs, () => command.stop());
    const exit = await command.exit;
    cancel();
    await this.#options.scrub?.();
    if (exit.kind === 'exited' && exit.exitCode === 0) return;
    const how =
      exit.kind === 'exited'
        ? `exited with code ${exit.exitCode}`
        : exit.kind === 'signalled'
          ? `was ended by ${exit.signal}`
          : 'could not be started';
    appendFileSync(log, `${number} ${how}\n`);
    this.complain(`a notification ${how}; the run goes on (see ${log})`);
  }

  /** Told once; the log has the rest. */
  complain(text: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.onProblem(text);
  }
}

/** Ten megabytes: what a notification prints must not fill the disk that the study needs. */
const mostLogBytes = 10 << 20;
const sizeLimit = `ulimit -f ${mostLogBytes / 512}\n`;
const mostWaiting = 1000;
const patienceMs = 30_000;
const closingMs = 10_000;
