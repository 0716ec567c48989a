import { formatDuration } from '../../model/duration.js';
import type { JournalEntry } from '../../model/events/event.js';
import { ceilingText } from '../failures/ceiling-text.js';
import { failureWords } from '../failures/failure-text.js';
import { outcomeWords } from '../history/outcome-text.js';
import { amendText, escalatedText, mirrorText, replanText } from './fix-text.js';
import { foundWords } from './found-text.js';
import { gateEventText } from './gate-event-text.js';
import { heldUpText } from './held-up-text.js';
import { parametersText } from './parameters-text.js';
import { metricsText, testsText } from './published-text.js';

/** An event as one line, for a notification: enough to know whether to get up. */
export function eventSummary(entry: JournalEntry, study: { readonly name: string; readonly run: string }): string {
  return `${study.name} ${study.run}: ${sayingOf(entry)}`;
}

function sayingOf(entry: JournalEntry): string {
  switch (entry.type) {
    case 'run-started':
      return entry.resumed ? 'goes on' : 'started';
    case 'plan-extended':
      return `${entry.task} has read its file: ${entry.added.length} more tasks`;
    case 'run-finished':
      return `${outcomeWords(entry.outcome, entry.signal)} after ${formatDuration(entry.durationMs)}`;
    case 'task-started':
      return `${entry.task} started${entry.attempt > 1 ? ` (attempt ${entry.attempt})` : ''}`;
    case 'task-finished':
      return `${entry.task} passed in ${formatDuration(entry.durationMs)}`;
    case 'task-failed':
      return `${entry.task} ${failureWords(entry.failure).what}${entry.retrying ? '; it is tried again' : ''}`;
    case 'mirror-differed':
      return mirrorText(entry);
    case 'study-changed':
      return foundWords(entry).what;
    case 'task-skipped':
      return `${entry.task} ${entry.cause === 'cached' ? 'is cached' : 'was skipped'}`;
    case 'retry-scheduled':
      return `${entry.task} is tried again in ${formatDuration(entry.afterMs)}`;
    case 'tests-recorded':
      return `${entry.task} ${testsText(entry.tests)}`;
    case 'metrics-recorded':
      return `${entry.task} ${metricsText(entry.metrics)}`;
    case 'escalated':
      return escalatedText(entry);
    case 'task-file-changed':
      return replanText(entry);
    case 'outputs-amended':
      return amendText(entry);
    case 'parameters-changed':
      return parametersText(entry);
    case 'job-held-up':
      return heldUpText(entry);
    case 'budget-spent':
      return `the budget is spent: ${ceilingText(entry)}`;
    case 'gate-opened':
    case 'gate-decided':
    case 'revision-requested':
    case 'judge-calibrated':
      return gateEventText(entry);
    default:
      return entry.type;
  }
}
