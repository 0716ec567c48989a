import { formatDuration } from '../../model/duration.js';
import { failureWords } from '../failures/failure-text.js';
import { blameText } from '../words/blame-text.js';
import type { Paint } from '../words/paint.js';
import { plainLine } from '../words/plain-line.js';
import type { Symbols } from '../words/symbols.js';
import { tellsNothing } from './failed-task-text.js';
import type { EndedTask } from './viewed-task.js';

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 99)}…` : text);

/** How a task ended, in one line: `✓ train:seed=1  2.1 s`. */
export function endedText(task: EndedTask, { p, s }: { readonly p: Paint; readonly s: Symbols }): string {
  const time = task.durationMs === undefined || tellsNothing(task) ? '' : `  ${p.dim(formatDuration(task.durationMs))}`;
  const tries =
    task.attempt === undefined || task.attempt === 1 || tellsNothing(task)
      ? ''
      : `  ${p.dim(`attempt ${task.attempt}`)}`;
  switch (task.how) {
    case 'passed':
      return `${p.green(s.passed)} ${task.id}${time}${tries}${task.summary === undefined ? '' : `  ${p.dim(shortened(plainLine(task.summary)))}`}`;
    case 'cached':
      return `${p.green(s.cached)} ${task.id}  ${p.dim('cached')}`;
    case 'failed':
      return `${p.red(`${s.failed} ${task.id}`)}  ${task.failure ? failureWords(task.failure).what : 'failed'}${time}${tries}`;
    case 'skipped':
      return `${p.dim(`${s.skipped} ${task.id}  skipped${task.because ? `: ${blameText(task.because, task.waits === true)}` : ''}`)}`;
    case 'cancelled':
      return `${p.yellow(s.skipped)} ${task.id}  stopped${time}`;
  }
}
