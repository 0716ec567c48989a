import { formatDuration } from '../model/duration.js';
import type { Plan } from '../model/plan.js';
import type { Paint } from './paint.js';
import { listed, plural } from './phrase.js';
import type { Symbols } from './symbols.js';
import { type ActionCounts, countActions, type Decisions } from './task-group.js';
import { wrapText } from './wrap-text.js';

/** The end of a plan: how much there is to do, what it can cost at worst, and what to type next. */
export function planFooter(plan: Plan, decisions: Decisions, { p, s, width, refused, again }: FooterStyle): string[] {
  const counts = countActions(plan.tasks, decisions);
  const raw = new Set(plan.tasks.filter(({ rawShell }) => rawShell && rawShell.length > 0).map(({ stage }) => stage));
  const warning = `${s.warning} Raw values go into shell text in ${listed([...raw])}; make sure that they can be trusted.`;
  return [
    labelled('In all:     ', `${countsText(counts)}.`, { p, width }),
    labelled('Worst case: ', `${worstCaseText(plan)}.`, { p, width }),
    ...(raw.size === 0 ? [] : wrapText(warning, width).map((line) => p.yellow(line))),
    ...nextLines(counts, { p, width, refused, again }),
  ];
}

interface FooterStyle {
  readonly p: Paint;
  readonly s: Symbols;
  readonly width: number;
  /** Notices for which `exec` would refuse the plan. */
  readonly refused: number;
  /** Options that the next command needs too, with a space before them. */
  readonly again: string;
}

function nextLines({ run }: ActionCounts, { p, width, refused, again }: Omit<FooterStyle, 's'>): string[] {
  if (refused > 0)
    return [
      p.yellow(
        `exec would refuse this plan until the ${refused === 1 ? 'notice' : 'notices'} above ${refused === 1 ? 'is' : 'are'} dealt with.`,
      ),
    ];
  if (run > 0) return [`${p.bold('Next:')}       ${p.cyan(`autoresearch exec${again}`)}`];
  return wrapText(
    'Nothing to run: every result still holds. To run a stage all the same: autoresearch exec --force STAGE',
    width,
  );
}

const labelled = (label: string, text: string, { p, width }: Pick<FooterStyle, 'p' | 'width'>): string =>
  p.bold(label) + wrapText(text, Math.max(20, width - label.length)).join(`\n${' '.repeat(label.length)}`);

export function countsText({ run, cached, skip }: ActionCounts): string {
  const parts = [
    ...(run > 0 ? [`${run} to run`] : []),
    ...(cached > 0 ? [`${cached} cached`] : []),
    ...(skip > 0 ? [`${skip} skipped`] : []),
  ];
  return parts.length === 0 ? 'nothing to run' : parts.join(', ');
}

function worstCaseText({ worstCase: { attempts, agentCalls, usd, timeMs }, tasks }: Plan): string {
  const calls = agentCalls === 0 ? 'no agent calls' : plural(agentCalls, 'agent call');
  const money = usd === null ? 'money not bounded' : usd === 0 ? 'no money' : `$${usd.toFixed(2)}`;
  const time =
    timeMs === null ? `time not bounded${unboundedText(tasks)}` : `${formatDuration(timeMs)} one after another`;
  return [plural(attempts, 'attempt'), calls, money, time].join(', ');
}

/** Says which stages make the time unbounded, because that is what a reader can change. */
function unboundedText(tasks: Plan['tasks']): string {
  const stages = [
    ...new Set(tasks.filter(({ timeoutMs, skip }) => timeoutMs === undefined && !skip).map(({ stage }) => stage)),
  ];
  if (stages.length === 0) return '';
  return ` (no timeout in ${listed(stages)})`;
}
