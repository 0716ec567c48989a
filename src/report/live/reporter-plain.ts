import { formatDuration } from '../../model/duration.js';
import type { EphemeralEvent, JournalEntry } from '../../model/events/event.js';
import { isOfResult } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import type { Clock, Reporter, RunInfo } from '../../model/ports.js';
import { failureWords } from '../failures/failure-text.js';
import { type Paint, paint } from '../words/paint.js';
import { listed } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { endedText } from './ended-text.js';
import { amendText, escalatedText, fixText, mirrorText, replanText, unusableText } from './fix-text.js';
import { foundWords } from './found-text.js';
import { type GateEvent, gateEventText, isOfGates, isTold } from './gate-event-text.js';
import { heldUpTeller } from './held-up-text.js';
import { overspentText } from './overspent-text.js';
import { parametersText } from './parameters-text.js';
import { progressText, wholeSeconds } from './progress-text.js';
import { type ReportTarget, viewClock } from './report-target.js';
import { openingLines } from './run-opening.js';
import { RunView } from './run-view.js';
import { replacedText } from './session-text.js';
import { type Stopping, stillRunning, stoppingAt, stoppingText } from './stopping-text.js';
import { leftText } from './time-left.js';
import { treeText } from './tree-text.js';
import type { EndedTask } from './viewed-task.js';

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
  readonly #heldUp: ReturnType<typeof heldUpTeller>;
  #view: RunView | undefined;
  #info: RunInfo | undefined;
  #spokeAt = 0;
  #cancelTimer: () => void = () => {};
  #cancelCountdown: () => void = () => {};

  constructor(target: ReportTarget, { verbose, clock = viewClock }: PlainOptions) {
    this.#target = target;
    this.#verbose = verbose;
    this.#clock = clock;
    this.#heldUp = heldUpTeller(verbose);
    this.#style = { p: paint(target.color), s: symbols(target.unicode) };
  }

  runStarted(plan: Plan, info: RunInfo): void {
    this.#info = info;
    this.#view = new RunView(plan, info, this.#clock.now());
    this.#spokeAt = this.#clock.now();
    this.#watchSilence();
  }

  planExtended(plan: Plan): void {
    this.#view?.extend(plan);
  }

  recorded(entry: JournalEntry): void {
    const view = this.#view!;
    const now = this.#clock.now();
    const ended = view.apply(entry, now);
    if (entry.type === 'run-started') this.#say(openingLines(entry, { view, info: this.#info!, p: this.#style.p }));
    if (entry.type === 'task-started' && this.#verbose)
      this.#say([`${this.#style.p.cyan(this.#style.s.run)} ${entry.task}`]);
    if (entry.type === 'mirror-differed') this.#say([`${this.#style.s.retrying} ${mirrorText(entry)}`]);
    if (entry.type === 'spend-recorded' && entry.over)
      this.#say([
        `${this.#style.p.yellow(this.#style.s.warning)} ${entry.task}  ${overspentText({ ...entry, ...entry.over })}`,
      ]);
    if (entry.type === 'study-changed') this.#say([`${this.#style.s.warning} ${foundWords(entry).what}`]);
    if (entry.type === 'task-failed' && entry.retrying) this.#sayFailedTry(entry);
    if (entry.type === 'retry-scheduled' && entry.afterMs > 0)
      this.#say([`  next try in ${formatDuration(entry.afterMs)}`]);
    if (entry.type === 'fix-finished') this.#say([`${this.#style.s.retrying} ${fixText(entry)}`]);
    if (entry.type === 'agent-validation-failed') this.#say([`${this.#style.s.retrying} ${unusableText(entry)}`]);
    if (entry.type === 'agent-invoked' && entry.replaces)
      this.#say([`${this.#style.s.retrying} ${entry.task}  ${replacedText({ ...entry, ...entry.replaces })}`]);
    if (entry.type === 'escalated') this.#say([`${this.#style.s.retrying} ${escalatedText(entry)}`]);
    if (entry.type === 'parameters-changed') this.#say([`${this.#style.s.retrying} ${parametersText(entry)}`]);
    if (entry.type === 'task-file-changed') this.#say([`${this.#style.s.retrying} ${replanText(entry)}`]);
    if (entry.type === 'outputs-amended') this.#say([`${this.#style.s.retrying} ${amendText(entry)}`]);
    const heldUp = this.#heldUp(entry);
    if (heldUp !== undefined) this.#say([`${this.#style.p.yellow(this.#style.s.warning)} ${heldUp}`]);
    if (isOfGates(entry)) this.#sayGate(entry);
    const tree = treeText(entry, this.#verbose);
    if (tree !== undefined) this.#say([tree]);
    if (ended) this.#ended(ended, view);
    if (this.#isFolded(view) && view.done < view.total && now - this.#spokeAt >= progressEveryMs) this.#sayProgress();
  }

  ephemeral(event: EphemeralEvent): void {
    if (event.type === 'output' && this.#verbose)
      this.#say([`${this.#style.p.dim(`${event.task} ${this.#style.s.bar}`)} ${plainLine(event.line)}`]);
    if (event.type === 'notice') this.#say([event.text]);
    if (event.type === 'stopping') {
      const now = this.#clock.now();
      const stopping = stoppingAt(event.signal, now, this.#info?.graceMs);
      this.#say([stoppingText(stopping, stillRunning(this.#view!), now)]);
      this.#countDown(stopping);
    }
  }

  async close(): Promise<void> {
    this.#cancelTimer();
    this.#cancelCountdown();
  }

  #isFolded(view: RunView): boolean {
    return view.total > mostLines && !this.#verbose;
  }

  #ended(ended: EndedTask, view: RunView): void {
    if (ended.how === 'failed')
      this.#say([endedText(ended, this.#style), ...(isOfResult(ended.failure) ? [] : this.#tail(ended.id))]);
    else if (!this.#isFolded(view)) this.#say([endedText(ended, this.#style)]);
  }

  #sayFailedTry({ task, attempt, failure }: JournalEntry & { type: 'task-failed' }): void {
    const { p, s } = this.#style;
    this.#say([
      `${p.yellow(`${s.retrying} ${task}`)}  ${failureWords(failure).what}  ${p.dim(`attempt ${attempt}`)}`,
      ...this.#tail(task),
    ]);
  }

  #sayGate(entry: GateEvent): void {
    if (!isTold(entry)) return;
    const { p, s } = this.#style;
    // The whole commands stand at the end of the run; until then another shell can ask for them.
    const how =
      entry.type === 'gate-opened' ? `  ${p.dim(`(to answer: autoresearch gates${this.#info!.again ?? ''})`)}` : '';
    this.#say([`${p.yellow(s.gate)} ${gateEventText(entry)}${how}`]);
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

  /** A line each second, as long as there is something to wait for. */
  #countDown(stopping: Stopping): void {
    if (stopping.killAt === undefined) return;
    this.#cancelCountdown = this.#clock.after(1000, () => {
      const running = stillRunning(this.#view!);
      const now = this.#clock.now();
      if (running === 0) return;
      this.#say([stoppingText(stopping, running, now)]);
      if (now < stopping.killAt!) this.#countDown(stopping);
    });
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
        const left = this.#view!.timeLeft(now);
        this.#say([`still running: ${listed(names, 4)}${left ? `; ${leftText(left)} of the run` : ''}`]);
      } else if (running.length === 0) this.#spokeAt = now;
      this.#watchSilence();
    });
  }
}
