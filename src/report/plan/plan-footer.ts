import { formatDuration } from '../../model/duration.js';
import { escalationAgents, mostReplans, personText } from '../../model/errors/retry-limits.js';
import type { Plan } from '../../model/plan.js';
import { type PlanLoop, planLoopLines } from '../iterations/plan-loop.js';
import { treesLine } from '../live/tree-text.js';
import type { Paint } from '../words/paint.js';
import { listed, plural } from '../words/phrase.js';
import type { Symbols } from '../words/symbols.js';
import { wrapText } from '../words/wrap-text.js';
import { capText } from './cap-text.js';
import { type ActionCounts, countActions, type Decisions } from './task-group.js';

/** The end of a plan: how much there is to do, what it can cost at worst, and what to type next. */
export function planFooter(
  plan: Plan,
  decisions: Decisions,
  { p, s, width, refused, doubted, again, guards, loop, each }: FooterStyle,
): string[] {
  const counts = countActions(plan.tasks, decisions);
  const trees = treesLine(plan);
  const raw = new Set(plan.tasks.filter(({ rawShell }) => rawShell && rawShell.length > 0).map(({ stage }) => stage));
  const warning = `${s.warning} Raw values go into shell text in ${listed([...raw])}; make sure that they can be trusted.`;
  return [
    labelled(
      'In all:     ',
      `${loop?.over === undefined ? `${countsText(counts)}${each ? ' for the baseline' : ''}` : oneMore}.`,
      { p, width },
    ),
    labelled(
      'Worst case: ',
      `${each ? `for one iteration, ${worstCaseText(each)}` : `${worstCaseText(plan)}${wholePlan(counts)}`}.`,
      {
        p,
        width,
      },
    ),
    ...(loop ? planLoopLines(plan, loop, each) : []).map(([label, text]) => labelled(label, text, { p, width })),
    ...(plan.escalate ? [labelled('Last tries: ', `${escalationText(plan)}.`, { p, width })] : []),
    ...(trees === undefined ? [] : [labelled('Worktrees:  ', trees, { p, width })]),
    ...guardLines(guards).map(([label, text]) => labelled(label, text, { p, width })),
    ...(raw.size === 0 ? [] : wrapText(warning, width).map((line) => p.yellow(line))),
    ...nextLines(counts, { p, s, width, refused, doubted, again, ...(loop ? { loop } : {}) }),
  ];
}

const oneMore = 'nothing to run; above is what one more iteration would do';

interface FooterStyle {
  readonly p: Paint;
  readonly s: Symbols;
  readonly width: number;
  /** Notices for which `exec` would refuse the plan. */
  readonly refused: number;
  /** What it goes ahead with although it may not be meant. */
  readonly doubted: number;
  /** Options that the next command needs too, with a space before them. */
  readonly again: string;
  readonly guards?: PlanGuards;
  readonly loop?: PlanLoop;
  /** The plan of an iteration, where this one is for the baseline. */
  readonly each?: Plan;
}

export interface PlanGuards {
  readonly protect: readonly string[];
  /** Absent in a study without agents. */
  readonly sandbox?: { readonly level: 'bwrap' } | { readonly level: 'none'; readonly why?: string };
  /** Caps that a call may pass before anybody knows. */
  readonly caps?: readonly { readonly agent: string; readonly why: string }[];
}

function guardLines(guards: PlanGuards | undefined): readonly (readonly [string, string])[] {
  if (!guards) return [];
  const { protect, sandbox, caps = [] } = guards;
  const held =
    sandbox?.level === 'bwrap'
      ? 'bubblewrap: agents can write only what they may.'
      : `none${sandbox?.why === undefined ? '' : ` (${sandbox.why})`}: what agents write is looked at afterwards.`;
  return [
    ...(protect.length === 0 ? [] : [['Protected:  ', `${listed([...protect], 5)}.`] as const]),
    ...(sandbox ? [['Sandbox:    ', held] as const] : []),
    ...(caps.length === 0 ? [] : [['Caps:       ', `${capText(caps)}.`] as const]),
  ];
}

function nextLines(
  { run, cached }: ActionCounts,
  { p, s, width, refused, doubted, again, loop }: FooterStyle,
): string[] {
  if (loop?.over !== undefined)
    return wrapText(
      `The loop goes on when the rule that ended it is widened. Another series: autoresearch exec${again} --new`,
      width,
    );
  if (refused > 0)
    return [
      p.yellow(
        `exec would refuse this plan until the ${refused === 1 ? 'notice' : 'notices'} above ${refused === 1 ? 'is' : 'are'} dealt with.`,
      ),
    ];
  if (run > 0) {
    const first = `${s.warning} exec goes ahead with what ${plural(doubted, 'line')} at the top ${doubted === 1 ? 'doubts' : 'doubt'}; look there first.`;
    return [
      ...(doubted > 0 ? wrapText(first, width).map((line) => p.yellow(line)) : []),
      `${p.bold('Next:')}       ${p.cyan(`autoresearch exec${again}`)}`,
    ];
  }
  // What is left out holds no result.
  if (cached === 0) return wrapText('Nothing to run: every task is left out, for the reasons above.', width);
  return wrapText(
    'Nothing to run: every result still holds. To run a stage all the same: autoresearch exec --force STAGE',
    width,
  );
}

const labelled = (label: string, text: string, { p, width }: Pick<FooterStyle, 'p' | 'width'>): string =>
  p.bold(label) + wrapText(text, Math.max(20, width - label.length)).join(`\n${' '.repeat(label.length)}`);

export function countsText({ run, maybe, cached, skip }: ActionCounts): string {
  const parts = [
    ...(run > maybe ? [`${run - maybe} to run`] : []),
    ...(maybe > 0 ? [`${maybe} that may run`] : []),
    ...(cached > 0 ? [`${cached} cached`] : []),
    ...(skip > 0 ? [`${skip} skipped`] : []),
  ];
  return parts.length === 0 ? 'nothing to run' : parts.join(', ');
}

function worstCaseText({ worstCase: { attempts, agentCalls, usd, timeMs, stoppedAt, pending }, tasks }: Plan): string {
  const calls =
    agentCalls === 0
      ? 'no agent calls'
      : plural(agentCalls, 'agent call') + stopText('callsPerRun', stoppedAt?.calls, String);
  const bound = usd === null ? 'money not bounded' : usd === 0 ? 'no money' : `at most ${dollars(usd)}`;
  const money = bound + stopText('usdPerRun', stoppedAt?.usd, dollars);
  const time =
    timeMs === null ? `time not bounded${unboundedText(tasks)}` : `${formatDuration(timeMs)} one after another`;
  const known = [plural(attempts, 'attempt'), calls, money, time].join(stoppedAt ? '; ' : ', ');
  return pending ? `${known}; on top of that come the tasks of files that are not there yet` : known;
}

/** The bound is one of the plan, whatever is left to do of it. */
const wholePlan = ({ cached }: ActionCounts): string => (cached === 0 ? '' : ', if what is cached ran too');

/** Less than a cent is still not nothing. */
const dollars = (usd: number): string => `$${usd >= 0.01 ? usd.toFixed(2) : usd}`;

const stopText = (ceiling: string, stop: number | undefined, shown: (stop: number) => string): string =>
  stop === undefined ? '' : `, but budget.${ceiling} stops it at ${shown(stop)}`;

function escalationText({ escalate = [], tasks }: Plan): string {
  const [first, ...more] = escalate
    .filter((name) => name !== 'fail')
    .map((name) => personText(name) ?? `agent ${name}`);
  const start = 'when the tries of a task are spent, ';
  if (first === undefined) return `${start}it fails`;
  const end = escalate.includes('human') ? '' : '; then it fails';
  const isFile = tasks.some(({ part }) => part) && escalationAgents(escalate).length > 0;
  // What that adds is not known ahead.
  const files = isFile
    ? `; of a task file an agent may change what is not done, ${mostReplans} times at most for each stage, and what that adds is not in the worst case`
    : '';
  return `${start}${[`${first} is asked`, ...more].join(', then ')}${end}${files}`;
}

/** Says which stages make the time unbounded, because that is what a reader can change. */
function unboundedText(tasks: Plan['tasks']): string {
  const stages = [
    ...new Set(tasks.filter(({ timeoutMs, skip }) => timeoutMs === undefined && !skip).map(({ stage }) => stage)),
  ];
  if (stages.length === 0) return '';
  return ` (no timeout in ${listed(stages)})`;
}
