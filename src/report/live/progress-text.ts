import { formatDuration } from '../../model/duration.js';
import type { Paint } from '../words/paint.js';
import type { Symbols } from '../words/symbols.js';
import type { RunView } from './run-view.js';
import { leftText } from './time-left.js';

interface ProgressStyle {
  readonly p: Paint;
  readonly s: Symbols;
  /** Without the counts that can best be done without. */
  readonly isShort?: boolean;
}

/** `4 of 13 done · 2 running · 7 waiting · 1 failed · 12 s · about 30 s left`. */
export function progressText(view: RunView, now: number, { p, s, isShort = false }: ProgressStyle): string {
  const { counts, running } = view;
  const left = view.timeLeft(now);
  const part = (count: number, word: string): string[] => (count > 0 ? [`${count} ${word}`] : []);
  return [
    `${view.done} of ${view.total} done`,
    ...part(running.size, 'running'),
    ...(isShort
      ? []
      : [...part(view.waitingCount, 'waiting'), ...part(counts.cached, 'cached'), ...part(counts.skipped, 'skipped')]),
    ...(counts.failed > 0 ? [p.red(`${counts.failed} failed`)] : []),
    wholeSeconds(now - view.startedAt),
    ...(left ? [leftText(left)] : []),
  ].join(` ${s.dot} `);
}

/** Elapsed time without tenths, so that a running line does not change more than once a second. */
export const wholeSeconds = (ms: number): string =>
  formatDuration(Math.floor(Math.max(0, ms) / 1000) * 1000).replace('.0 s', ' s');
