import type { EphemeralEvent, JournalEntry } from '../../model/events/event.js';
import type { Plan } from '../../model/plan.js';
import type { Clock, Reporter, RunInfo } from '../../model/ports.js';
import { type Paint, paint } from '../words/paint.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { endedText } from './ended-text.js';
import { foundWords } from './found-text.js';
import { gateEventText, isOfGates, isTold } from './gate-event-text.js';
import { heldUpTeller } from './held-up-text.js';
import { openRows, type Rows } from './listr-rows.js';
import { overspentText } from './overspent-text.js';
import { type ReportTarget, viewClock } from './report-target.js';
import { openingLines } from './run-opening.js';
import { RunView } from './run-view.js';
import { type Stopping, stillRunning, stoppingAt, stoppingText } from './stopping-text.js';
import { treeFrame } from './tree-frame.js';
import { treeText } from './tree-text.js';
import type { EndedTask } from './viewed-task.js';

export interface TreeOptions {
  readonly clock?: Clock;
  /** Another view in tests. */
  readonly open?: (target: ReportTarget, slots: number) => Promise<Rows>;
}

/** Drawn at most ten times a second while things happen, and now and then for the clock and the current output lines. */
const busyMs = 100;
const idleMs = 250;
/** A run that is over sooner never loads listr2, which takes a twentieth of a second: no run gets a tenth longer by being watched. */
const firstFrameMs = 500;
const mostRows = 30;
/** Runs of up to this many tasks leave a line for each in the terminal. */
const mostKept = 40;

/** The live view at a terminal. What it costs does not depend on the number of tasks: one timer, a window of rows. */
export class TreeReporter implements Reporter {
  readonly #target: ReportTarget;
  readonly #clock: Clock;
  readonly #open: (target: ReportTarget, slots: number) => Promise<Rows>;
  readonly #style: { readonly p: Paint; readonly s: Symbols };
  readonly #heldUp = heldUpTeller();
  #view: RunView | undefined;
  #info: RunInfo | undefined;
  #rows: Rows | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;
  #isPaused = false;
  #dirty = false;
  #drawnAt = 0;
  #shown = '';
  #stopping: Stopping | undefined;
  /** To be left in the terminal when the view is taken away. */
  readonly #kept: string[] = [];
  #cancelTimer: () => void = () => {};

  constructor(target: ReportTarget, { clock = viewClock, open = openRows }: TreeOptions = {}) {
    this.#target = target;
    this.#clock = clock;
    this.#open = open;
    this.#style = { p: paint(target.color), s: symbols(target.unicode) };
  }

  runStarted(plan: Plan, info: RunInfo): void {
    this.#info = info;
    this.#view = new RunView(plan, info, this.#clock.now());
    this.#cancelTimer = this.#clock.after(firstFrameMs, () => this.#start());
  }

  planExtended(plan: Plan): void {
    this.#view?.extend(plan);
  }

  recorded(entry: JournalEntry): void {
    const view = this.#view!;
    const ended = view.apply(entry, this.#clock.now());
    if (entry.type === 'run-started') this.#say(openingLines(entry, { view, info: this.#info!, p: this.#style.p }));
    const tree = treeText(entry, false);
    if (tree !== undefined) this.#say([tree]);
    if (entry.type === 'spend-recorded' && entry.over)
      this.#say([
        `${this.#style.p.yellow(this.#style.s.warning)} ${entry.task}  ${overspentText({ ...entry, ...entry.over })}`,
      ]);
    if (entry.type === 'study-changed')
      this.#say([`${this.#style.p.yellow(this.#style.s.warning)} ${foundWords(entry).what}`]);
    const heldUp = this.#heldUp(entry);
    if (heldUp !== undefined) this.#say([`${this.#style.p.yellow(this.#style.s.warning)} ${heldUp}`]);
    if (ended) this.#keep(ended, view);
    // At a terminal the question itself comes next.
    if (isOfGates(entry) && isTold(entry) && entry.type !== 'gate-opened')
      this.#say([`${this.#style.p.yellow(this.#style.s.gate)} ${gateEventText(entry)}`]);
    this.#touch();
  }

  ephemeral(event: EphemeralEvent): void {
    if (event.type === 'notice') this.#say([event.text]);
    if (event.type === 'stopping') {
      const now = this.#clock.now();
      this.#stopping = stoppingAt(event.signal, now, this.#info?.graceMs);
      if (!this.#rows) this.#target.write(`${stoppingText(this.#stopping, stillRunning(this.#view!), now)}\n`);
    }
    this.#touch();
  }

  /** What was kept is written, as at the end; what comes meanwhile is written as it comes. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    this.#cancelTimer();
    await this.#opening;
    await this.#rows?.close();
    this.#rows = undefined;
    this.#shown = '';
    if (this.#kept.length > 0) this.#target.write(`${this.#kept.splice(0).join('\n')}\n`);
  }

  resume(): void {
    if (this.#closed || !this.#isPaused) return;
    this.#isPaused = false;
    this.#cancelTimer = this.#clock.after(firstFrameMs, () => this.#start());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.pause();
  }

  #start(): void {
    const show = (rows: Rows): void => {
      this.#rows = rows;
      if (!this.#closed && !this.#isPaused) this.#draw();
    };
    // Without its view a run is still a run.
    const withoutView = (error: unknown): void =>
      this.#say([`The live view could not be opened: ${(error as Error).message}`]);
    this.#opening = this.#open(this.#target, mostRows).then(show, withoutView);
  }

  #draw(): void {
    const now = this.#clock.now();
    this.#dirty = false;
    this.#drawnAt = now;
    const lines = treeFrame({
      view: this.#view!,
      now,
      columns: this.#target.columns(),
      // The cursor stands on a line of its own below the frame.
      rows: Math.min(mostRows, this.#target.rows() - 1),
      ...this.#style,
      ...this.#notice(now),
      lastLine: (task) => this.#info!.lastLine(task),
    });
    const text = lines.join('\n');
    if (text !== this.#shown) this.#rows!.draw(lines);
    this.#shown = text;
    this.#schedule(idleMs);
  }

  #notice(now: number): { notice?: string } {
    if (this.#stopping === undefined) return {};
    return { notice: stoppingText(this.#stopping, stillRunning(this.#view!), now) };
  }

  /** Something happened: the next frame comes sooner, but never sooner than a tenth of a second after the last. */
  #touch(): void {
    if (this.#dirty || !this.#rows || this.#closed || this.#isPaused) return;
    this.#dirty = true;
    this.#schedule(Math.max(0, this.#drawnAt + busyMs - this.#clock.now()));
  }

  #schedule(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.#draw());
  }

  /** Before the view is up, what ended waits for it: a short run never needs one. */
  #say(lines: readonly string[], canWait = false): void {
    if (canWait && this.#closed) return;
    if (this.#rows || (canWait && !this.#isPaused)) this.#kept.push(...lines);
    else if (lines.length > 0) this.#target.write(`${lines.join('\n')}\n`);
  }

  #keep(ended: EndedTask, view: RunView): void {
    if (view.total <= mostKept) this.#say([endedText(ended, this.#style)], true);
  }
}
