import { formatDuration } from '../../model/duration.js';
import { failureWords } from '../failures/failure-text.js';
import { type Paint, paint } from '../words/paint.js';
import { plainLine } from '../words/plain-line.js';
import type { Symbols } from '../words/symbols.js';
import { displayWidth, padEnd, truncate, truncateMiddle } from '../words/text-width.js';
import { progressText, wholeSeconds } from './progress-text.js';
import type { RunView } from './run-view.js';
import { roughly } from './time-left.js';
import type { EndedTask, GatedTask, RunningTask, WaitingTask } from './viewed-task.js';

export interface FrameInput {
  readonly view: RunView;
  readonly now: number;
  readonly columns: number;
  /** Lines that the frame may take. */
  readonly rows: number;
  readonly p: Paint;
  readonly s: Symbols;
  /** A line to keep in sight, such as that the run is being stopped. */
  readonly notice?: string;
  lastLine(task: string): string | undefined;
}

/** One picture of a run: a head with counts, what ended, what runs, what waits. Never taller than it may be. */
export function treeFrame(input: FrameInput): string[] {
  const { view, p, s, columns } = input;
  const share = shares(view, input.rows - 1 - (input.notice === undefined ? 0 : 1));
  const rows = [
    ...lastOf(view.recent, share.recent).map((task) => endedRow(task, input)),
    ...lastOf(view.failed, share.failed).map((task) => endedRow(task, input)),
    ...[...view.running.values()].slice(0, share.running).map((task) => runningRow(task, input)),
    ...(view.running.size > share.running && share.running > 0
      ? [{ sign: p.cyan(s.more), name: '', rest: `${view.running.size - share.running} more running` }]
      : []),
    ...[...view.gates.values()].slice(0, share.gates).map((task) => gateRow(task, input)),
    ...view.waiting(share.waiting).map((task) => waitingRow(task, input)),
  ];
  const nameWidth = Math.min(Math.floor(columns * 0.45), Math.max(0, ...rows.map(({ name }) => displayWidth(name))));
  return [
    headLine(input),
    ...rows.map((row) => rowLine(row, nameWidth, input)),
    ...(input.notice === undefined ? [] : [p.yellow(truncate(input.notice, columns - 1, s.more))]),
  ].slice(0, Math.max(1, input.rows));
}

interface Row {
  readonly sign: string;
  readonly name: string;
  readonly rest: string;
}

interface Shares {
  readonly failed: number;
  readonly running: number;
  readonly gates: number;
  readonly waiting: number;
  readonly recent: number;
}

/** How many lines each kind gets: failures first, then what runs, what is at a gate, what waits, then what ended well. */
function shares(view: RunView, rows: number): Shares {
  let left = Math.max(0, rows);
  const take = (wanted: number): number => {
    const given = Math.min(wanted, left);
    left -= given;
    return given;
  };
  const failed = take(Math.min(view.failed.length, 3, Math.ceil(left / 3)));
  const fits = view.running.size <= left;
  // When not all fit, one line says how many are left out.
  const running = fits ? take(view.running.size) : take(left) - 1;
  const gates = take(Math.min(view.gates.size, 3));
  const waiting = take(Math.min(view.waitingCount, 3));
  return { failed, running: Math.max(0, running), gates, waiting, recent: take(Math.min(view.recent.length, 3)) };
}

const lastOf = <T>(items: readonly T[], count: number): readonly T[] => (count === 0 ? [] : items.slice(-count));

/** The bar comes and goes with the window only, never with the counts, so that the line does not jump. */
function headLine({ view, now, columns, p, s }: FrameInput): string {
  const bar = columns < 100 ? '' : `${barText(view, 20, { p, s })}  `;
  const before = columns < 100 ? 0 : 22;
  const name = truncate(view.name, Math.floor(columns / 4), s.more);
  const room = columns - 1 - before - displayWidth(name) - 2;
  const isShort = displayWidth(progressText(view, now, { p: paint(false), s })) > room;
  const plain = progressText(view, now, { p: paint(false), s, isShort });
  const text = displayWidth(plain) <= room ? progressText(view, now, { p, s, isShort }) : truncate(plain, room, s.more);
  return `${p.bold(name)}  ${bar}${text}`;
}

function barText({ done, total, counts }: RunView, cells: number, { p, s }: { p: Paint; s: Symbols }): string {
  const full = total === 0 ? cells : Math.floor((done / total) * cells);
  const paintFull = counts.failed > 0 ? p.red : p.green;
  return paintFull(s.full.repeat(full)) + p.dim(s.empty.repeat(cells - full));
}

function endedRow(task: EndedTask, { p, s }: FrameInput): Row {
  const time = task.durationMs === undefined ? '' : formatDuration(task.durationMs);
  if (!task.failure) return { sign: p.green(s.passed), name: task.id, rest: time };
  return { sign: p.red(s.failed), name: task.id, rest: `${time}  ${failureWords(task.failure).what}` };
}

/** What is over sooner needs no guess. */
const leastTypicalMs = 2000;

function runningRow({ id, since, retry }: RunningTask, { view, p, s, now, lastLine }: FrameInput): Row {
  if (retry) {
    const due = retry.dueAt > now ? `in ${wholeSeconds(retry.dueAt - now + 999)}` : 'now';
    return { sign: p.yellow(s.retrying), name: id, rest: `tries again ${due}: ${failureWords(retry.failure).what}` };
  }
  const line = plainLine(lastLine(id) ?? '').trim();
  const typical = view.typicalMs(id);
  const of = typical !== undefined && typical >= leastTypicalMs ? ` of about ${roughly(typical)}` : '';
  return { sign: p.cyan(s.run), name: id, rest: `${wholeSeconds(now - since)}${of}${line === '' ? '' : `  ${line}`}` };
}

function gateRow({ id, since, kind }: GatedTask, { p, s, now }: FrameInput): Row {
  return { sign: p.yellow(s.gate), name: id, rest: `${gateWords[kind]}  ${wholeSeconds(now - since)}` };
}

const gateWords = {
  human: 'waits for a person at its gate',
  instructions: 'waits for words of a person',
  'auto-judge': 'is before its judge',
  auto: 'is checked at its gate',
} satisfies Record<GatedTask['kind'], string>;

function waitingRow({ id, need, isAtGate, moreNeeds }: WaitingTask, { p, s }: FrameInput): Row {
  const more = moreNeeds === 0 ? '' : ` and ${moreNeeds} more`;
  const what = isAtGate ? `the gate of ${need}` : need;
  return { sign: p.dim(s.waiting), name: id, rest: need === undefined ? freeSlot : `waits for ${what}${more}` };
}

const freeSlot = 'waits for a free slot';

function rowLine({ sign, name, rest }: Row, nameWidth: number, { columns, p, s }: FrameInput): string {
  // Two cells before the sign, one after it, two after the name, and the last cell of the line stays free: some terminals wrap there.
  const room = columns - 1 - 4 - nameWidth - 2;
  const shown = padEnd(truncateMiddle(name, nameWidth, s.more), nameWidth);
  const text = truncate(rest, Math.max(0, room), s.more);
  return name === '' ? `  ${sign} ${p.dim(text)}` : `  ${sign} ${shown}  ${p.dim(text)}`.trimEnd();
}
