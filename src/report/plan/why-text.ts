import type { Decision, Task } from '../../model/plan.js';
import { paint } from '../words/paint.js';
import { reasonText } from '../words/reason-text.js';
import { symbols } from '../words/symbols.js';

/** All that is known about why one task would run or not, a line for each reason. */
export function whyText(
  task: Task,
  { action, reasons, maybe }: Decision,
  options: { color: boolean; unicode?: boolean },
): string {
  const p = paint(options.color);
  const s = symbols(options.unicode ?? true);
  const heads = {
    run: `${p.cyan(s.run)} ${p.bold(task.id)} ${maybe ? 'may run' : 'would run'}:`,
    cached: `${p.green(s.cached)} ${p.bold(task.id)} would not run, its result still holds:`,
    skip: `${p.dim(s.skipped)} ${p.bold(task.id)} would be skipped:`,
  };
  return `${[heads[action], ...reasons.map((reason) => `    ${reasonText(reason)}`)].join('\n')}\n`;
}
