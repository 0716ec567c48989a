import type { ProgressStep } from '../../model/ports.js';
import { bytesText } from '../words/bytes-text.js';
import { wholeSeconds } from './progress-text.js';
import { leftText } from './time-left.js';

/** `reading data/train.bin: 1.2 of 4.0 GB, 3 s, about 7 s left`: what takes so long, how far it is and what is left. */
export function waitingText({ what, done, total, unit }: ProgressStep, { ms, phaseMs }: WaitingTimes): string {
  const said = unit === 'bytes' ? bytesText : (count: number): string => `${count}`;
  const far = total === undefined ? (done > 0 ? `: ${said(done)}` : '') : `: ${said(done)} of ${said(total)}`;
  const isTelling = total !== undefined && done > 0 && phaseMs >= tellingMs;
  const leftMs = isTelling ? (phaseMs / done) * (total - done) : 0;
  return [
    `${what}${far}`,
    wholeSeconds(ms),
    ...(leftMs >= 1000 ? [leftText({ ms: leftMs, isLeast: false })] : []),
  ].join(', ');
}

export interface WaitingTimes {
  /** How long somebody has been waiting. */
  readonly ms: number;
  /** How long this very thing has been done. */
  readonly phaseMs: number;
}

/** Before that, how fast it goes is a matter of chance. */
const tellingMs = 500;
