import type { EphemeralEvent, JournalEntry } from '../model/event.js';
import type { Plan } from '../model/plan.js';
import type { Clock, Reporter, RunInfo } from '../model/ports.js';
import { endedText } from './ended-text.js';
import { openRows, type Rows } from './listr-rows.js';
import { type Paint, paint } from './paint.js';
import { type ReportTarget, viewClock } from './report-target.js';
import { openingLines } from './run-opening.js';
import { type EndedTask, RunView } from './run-view.js';
import { type Symbols, symbols } from './symbols.js';
import { treeFrame } from './tree-frame.js';

export interface TreeOptions {
  readonly clock?: Clock;
  /** Another view in tests. */
  readonly open?: (target: ReportTarget, slots: number) => Promise<Rows>;
}

/** Drawn at most ten times a second while things happen, and now and then for the clock and the current output lines. */
const busyMs = 100;
const idleMs = 250;
/** A run that is over sooner never loads listr2. */
const firstFrameMs = 150;
const mostRows = 30;
/** Runs of up to this many tasks leave a line for each in the terminal. */
const mostKept = 40;

/** The live view at a terminal. What it costs does not depend on the number of tasks: one timer, a window of rows. */
export class TreeReporter implements Reporter {
  readonly #target: ReportTarget;
  readonly #clock: Clock;
  readonly #open: (target: ReportTarget, slots: number) => Promise<Rows>;
  readonly #style: { readonly p: Paint; readonly s: Symbols };
  #view: RunView | undefined;
  #info: RunInfo | undefined;
  #rows: Rows | undefined;
  #opening: Promise<void> | undefined;
  #closed = false;
  #dirty = false;
  #drawnAt = 0;
  #shown = '';
  #notice: string | undefined;
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

  recorded(entry: JournalEntry): void {
    const view = this.#view!;
    const ended = view.apply(entry, this.#clock.now());
    if (entry.type === 'run-started') this.#say(openingLines(entry, { view, info: this.#info!, p: this.#style.p }));
    if (ended) this.#keep(ended, view);
    this.#touch();
  }

  ephemeral(event: EphemeralEvent): void {
    if (event.type === 'notice') this.#say([event.text]);
    if (event.type === 'stopping') {
      this.#notice = `Stopping because of ${event.signal}; waiting for ${event.running} running. Once more ends them at once.`;
      if (!this.#rows) this.#target.write(`${this.#notice}\n`);
    }
    this.#touch();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer();
    await this.#opening;
    await this.#rows?.close();
    this.#rows = undefined;
    if (this.#kept.length > 0) this.#target.write(`${this.#kept.join('\n')}\n`);
  }

  #start(): void {
    const show = (rows: Rows): void => {
      this.#rows = rows;
      if (!this.#closed) this.#draw();
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
      ...(this.#notice === undefined ? {} : { notice: this.#notice }),
      lastLine: (task) => this.#info!.lastLine(task),
    });
    const text = lines.join('\n');
    if (text !== this.#shown) this.#rows!.draw(lines);
    this.#shown = text;
    this.#schedule(idleMs);
  }

  /** Something happened: the next frame comes sooner, but never sooner than a tenth of a second after the last. */
  #touch(): void {
    if (this.#dirty || !this.#rows || this.#closed) return;
    this.#dirty = true;
    this.#schedule(Math.max(0, this.#drawnAt + busyMs - this.#clock.now()));
  }

  #schedule(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.#draw());
  }

  #say(lines: readonly string[]): void {
    if (this.#rows) this.#kept.push(...lines);
    else if (lines.length > 0) this.#target.write(`${lines.join('\n')}\n`);
  }

  #keep(ended: EndedTask, view: RunView): void {
    if (view.total <= mostKept) this.#kept.push(endedText(ended, this.#style));
  }
}
