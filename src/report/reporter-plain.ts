import type { EphemeralEvent, JournalEntry } from '../model/event.js';
import type { Plan } from '../model/plan.js';
import type { Clock, Reporter, RunInfo } from '../model/ports.js';
import { endedText } from './ended-text.js';
import { failureWords } from './failure-text.js';
import { type Paint, paint } from './paint.js';
import { listed } from './phrase.js';
import { plainLine } from './plain-line.js';
import { progressText, wholeSeconds } from './progress-text.js';
import { type ReportTarget, viewClock } from './report-target.js';
import { openingLines } from './run-opening.js';
import { type EndedTask, RunView } from './run-view.js';
import { type Symbols, symbols } from './symbols.js';
import { formatDuration } from '../model/duration.js';

export interface PlainOptions {
  readonly verbose: boolean;
  readonly clock?: Clock;
}

/** Runs of more tasks than this are told by counts; what went wrong is always told at once. */
const mostLines = 50;
const progressEveryMs = 5_000;
const silenceMs = 30_000;
const tailLines = 15;

/** Lines for logs and CI: nothing moves, every line stands for itself, and a long silence says what still runs. */
export class PlainReporter implements Reporter {
  readonly #target: ReportTarget;
  readonly #verbose: boolean;
  readonly #clock: Clock;
  readonly #style: { readonly p: Paint; readonly s: Symbols };
  #view: RunView | undefined;
  #info: RunInfo | undefined;
  #spokeAt = 0;
  #cancelTimer: () => void = () => {};

  constructor(target: ReportTarget, { verbose, clock = viewClock }: PlainOptions) {
    this.#target = target;
    this.#verbose = verbose;
    this.#clock = clock;
    this.#style = { p: paint(target.color), s: symbols(target.unicode) };
  }

  runStarted(plan: Plan, info: RunInfo): void {
    this.#info = info;
    this.#view = new RunView(plan, info, this.#clock.now());
    this.#spokeAt = this.#clock.now();
    this.#watchSilence();
  }

  recorded(entry: JournalEntry): void {
    const view = this.#view!;
    const now = this.#clock.now();
    const ended = view.apply(entry, now);
    if (entry.type === 'run-started') this.#say(openingLines(entry, { view, info: this.#info!, p: this.#style.p }));
    if (entry.type === 'task-started' && this.#verbose)
      this.#say([`${this.#style.p.cyan(this.#style.s.run)} ${entry.task}`]);
    if (entry.type === 'task-failed' && entry.retrying) this.#sayFailedTry(entry);
    if (entry.type === 'retry-scheduled' && entry.afterMs > 0)
      this.#say([`  next try in ${formatDuration(entry.afterMs)}`]);
    if (ended) this.#ended(ended, view);
    if (this.#isFolded(view) && view.done < view.total && now - this.#spokeAt >= progressEveryMs) this.#sayProgress();
  }

  ephemeral(event: EphemeralEvent): void {
    if (event.type === 'output' && this.#verbose)
      this.#say([`${this.#style.p.dim(`${event.task} ${this.#style.s.bar}`)} ${plainLine(event.line)}`]);
    if (event.type === 'notice') this.#say([event.text]);
    if (event.type === 'stopping')
      this.#say([
        `Stopping because of ${event.signal}; waiting for ${event.running} running. Once more ends them at once.`,
      ]);
  }

  async close(): Promise<void> {
    this.#cancelTimer();
  }

  #isFolded(view: RunView): boolean {
    return view.total > mostLines && !this.#verbose;
  }

  #ended(ended: EndedTask, view: RunView): void {
    if (ended.how === 'failed') this.#say([endedText(ended, this.#style), ...this.#tail(ended.id)]);
    else if (!this.#isFolded(view)) this.#say([endedText(ended, this.#style)]);
  }

  #sayFailedTry({ task, attempt, failure }: JournalEntry & { type: 'task-failed' }): void {
    const { p, s } = this.#style;
    this.#say([
      `${p.yellow(`${s.retrying} ${task}`)}  ${failureWords(failure).what}  ${p.dim(`attempt ${attempt}`)}`,
      ...this.#tail(task),
    ]);
  }

  #tail(task: string): string[] {
    const info = this.#info!;
    const last = info.lastLine(task);
    const lines = info.tail?.(task) ?? (last === undefined ? [] : [last]);
    return lines
      .slice(-tailLines)
      .map((line) => `  ${this.#style.p.dim(this.#style.s.bar)} ${plainLine(line)}`.trimEnd());
  }

  #sayProgress(): void {
    this.#say([progressText(this.#view!, this.#clock.now(), this.#style)]);
  }

  #say(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#spokeAt = this.#clock.now();
    this.#target.write(`${lines.join('\n')}\n`);
  }

  /** One timer: wakes when it has been quiet for long, and says what takes so long. */
  #watchSilence(): void {
    const left = Math.max(1, this.#spokeAt + silenceMs - this.#clock.now());
    this.#cancelTimer = this.#clock.after(left, () => {
      const now = this.#clock.now();
      const running = [...this.#view!.running.values()];
      if (running.length > 0 && now - this.#spokeAt >= silenceMs) {
        const names = running.map(({ id, since }) => `${id} (${wholeSeconds(now - since)})`);
        this.#say([`still running: ${listed(names, 4)}`]);
      } else if (running.length === 0) this.#spokeAt = now;
      this.#watchSilence();
    });
  }
}
