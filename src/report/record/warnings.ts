import { lineOf, type RunFacts } from '../history/run-facts.js';
import { overspentText } from '../live/overspent-text.js';

/** What somebody has to know although it did not end the run. */
export interface WarningLine {
  readonly task: string;
  readonly what: 'cost' | 'task';
  readonly text: string;
  readonly line: number;
}

export const warningsOf = ({ entries }: Pick<RunFacts, 'entries'>): readonly WarningLine[] =>
  entries.flatMap((entry): WarningLine[] => {
    if (entry.type === 'spend-recorded' && entry.over)
      return [
        { task: entry.task, what: 'cost', text: overspentText({ ...entry, ...entry.over }), line: lineOf(entry) },
      ];
    if (entry.type === 'task-finished')
      return (entry.warnings ?? []).map((text) => ({ task: entry.task, what: 'task', text, line: lineOf(entry) }));
    return [];
  });
