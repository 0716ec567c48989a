import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Plan, Task } from '../../model/plan.js';
import type { EachIteration, PlanLoop } from '../iterations/plan-loop.js';
import { placeText } from '../reference/diagnostics.js';
import { type Paint, paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { displayWidth, truncate } from '../words/text-width.js';
import { wrapText } from '../words/wrap-text.js';
import { groupWhy } from './group-why.js';
import { type Fact, type FactContext, groupFacts, ungrouped } from './plan-facts.js';
import { countsText, type PlanGuards, planFooter } from './plan-footer.js';
import { countActions, type Decisions, groupTasks, matrixText, type TaskGroup } from './task-group.js';

export interface PlanTextOptions {
  readonly color: boolean;
  readonly unicode?: boolean;
  /** What keeps `exec` from running this plan: settings that this version cannot enforce. */
  readonly notices: readonly LocatedDiagnostic[];
  /** What may be a mistake; `exec` does not mind. */
  readonly doubts?: readonly LocatedDiagnostic[];
  readonly width: number;
  /** Every task by itself, nothing folded, nothing cut. */
  readonly verbose: boolean;
  /** Options that the next command needs too, with a space before them. */
  readonly again?: string;
  /** What is guarded and how. */
  readonly guards?: PlanGuards;
  readonly loop?: PlanLoop;
  /** What each iteration does, where the baseline, which is a part of it, comes first. */
  readonly each?: EachIteration;
}

/** What would happen, and why, for someone who sees a plan for the first time. */
export function planText(plan: Plan, decisions: Decisions, options: PlanTextOptions): string {
  const p = paint(options.color);
  const s = symbols(options.unicode ?? true);
  const style = { p, s, options };
  const { each } = options;
  const lines = [
    ...header(plan, style),
    ...(each ? ['', p.bold('First, to compare with: the baseline')] : []),
    ...waveLines(plan, contextOf(plan, decisions, style), style),
    ...(each ? ['', p.bold(`Then each iteration: ${sizeOf(each.plan)}`)] : []),
    ...(each ? waveLines(each.plan, contextOf(each.plan, each.decisions, style), style) : []),
    '',
    ...planFooter(plan, decisions, {
      p,
      s,
      width: options.width,
      refused: options.notices.length,
      doubted: options.doubts?.length ?? 0,
      again: options.again ?? '',
      ...(options.guards ? { guards: options.guards } : {}),
      ...(options.loop ? { loop: options.loop } : {}),
      ...(each ? { each: each.plan } : {}),
    }),
  ];
  return `${lines.join('\n')}\n`;
}

const contextOf = (plan: Plan, decisions: Decisions, { s, options }: Style): FactContext => ({
  decisions,
  stageOf: new Map(plan.tasks.map(({ id, stage }) => [id, stage])),
  symbols: s,
  verbose: options.verbose,
});

const sizeOf = ({ tasks, waves }: Plan): string => `${plural(tasks.length, 'task')} in ${plural(waves.length, 'wave')}`;

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
  readonly options: PlanTextOptions;
}

function header(plan: Plan, { p, s, options }: Style): string[] {
  const size = sizeOf(plan);
  return [
    `${p.bold(plan.name)} ${s.dot} ${size} ${s.dot} ${p.dim(`plan ${plan.digest.slice(0, 12)}`)}`,
    ...(plan.waves.length > 1
      ? [p.dim('A task starts as soon as what it needs is done; a wave can run side by side.')]
      : []),
    ...[...options.notices, ...(options.doubts ?? [])].flatMap((notice) => noticeLines(notice, { p, s, options })),
  ];
}

function noticeLines(notice: LocatedDiagnostic, { p, s, options }: Style): string[] {
  const where = placeText(notice);
  const text = `${s.warning} ${where === '' ? '' : `${where} `}${notice.code} ${notice.message}`;
  return wrapText(text, options.width - 2).map((line, index) => p.yellow(index === 0 ? line : `  ${line}`));
}

/** A plan of thousands of waves is shown by its beginning and its end. */
const mostWaves = 24;
const mostGroups = 12;

function waveLines(plan: Plan, context: FactContext, style: Style): string[] {
  const byId = new Map(plan.tasks.map((task) => [task.id, task]));
  const waves = plan.waves.map((ids) => ids.map((id) => byId.get(id)!));
  const wave = (index: number): string[] => [
    '',
    style.p.bold(`Wave ${index + 1}`),
    ...groupLines(groupTasks(waves[index]!, context.decisions), context, style),
  ];
  if (style.options.verbose || waves.length <= mostWaves) return waves.flatMap((_, index) => wave(index));
  const hidden = waves.slice(mostWaves - 4, -2).flat();
  const range = `Waves ${mostWaves - 3} to ${waves.length - 2}`;
  const folded = `${style.p.bold(range)}  ${plural(hidden.length, 'task')}: ${countsText(countActions(hidden, context.decisions))} ${style.p.dim('(--verbose shows them)')}`;
  const first = Array.from({ length: mostWaves - 4 }, (_, index) => wave(index)).flat();
  return [...first, '', folded, ...wave(waves.length - 2), ...wave(waves.length - 1)];
}

function groupLines(groups: readonly TaskGroup[], context: FactContext, style: Style): string[] {
  if (style.options.verbose) {
    return groups
      .flatMap((group) => ungrouped(group, context.decisions))
      .flatMap((group) => oneGroup(group, context, style));
  }
  const shown = groups.length > mostGroups ? groups.slice(0, mostGroups - 1) : groups;
  const rest: Task[] = groups.slice(shown.length).flatMap(({ tasks }) => [...tasks]);
  const lines = shown.flatMap((group) => oneGroup(group, context, style));
  if (rest.length === 0) return lines;
  const counts = countsText(countActions(rest, context.decisions));
  const what = `${plural(groups.length - shown.length, 'more stage')} with ${plural(rest.length, 'task')}: ${counts}`;
  return [...lines, `  ${style.s.more} ${what} ${style.p.dim('(--verbose shows them)')}`];
}

function oneGroup(group: TaskGroup, context: FactContext, style: Style): string[] {
  const { tasks, counts } = group;
  const { p, s, options } = style;
  const first = tasks[0]!;
  const many = tasks.length > 1;
  const name = many ? `${p.bold(group.stage)} ${s.times}${tasks.length}` : p.bold(first.id);
  const mixed = counts.run > 0 && counts.run < tasks.length ? `: ${countsText(counts)}` : '';
  const head = `  ${actionText(group, style)} ${name} ${p.dim(`(${first.uses})`)}${mixed}`;
  // What does not run needs only a reason.
  if (counts.run === 0 && !options.verbose) return [`${head}  ${p.dim(groupWhy(group, context.decisions, 3))}`];
  const matrix: Fact = { label: 'over', lines: many ? [matrixText(tasks, s)].filter(Boolean) : [] };
  return [head, ...[matrix, ...groupFacts(group, context)].flatMap((fact) => factLines(fact, style))];
}

function actionText({ counts }: TaskGroup, { p, s }: Style): string {
  if (counts.run > 0) return p.cyan(`${s.run} ${counts.maybe === counts.run ? 'maybe ' : 'run   '}`);
  return counts.cached > 0 ? p.green(`${s.cached} cached`) : p.dim(`${s.skipped} skip  `);
}

/** Sentences are broken at the width; of a long command the beginning is shown. */
function factLines({ label, lines, warn }: Fact, { p, s, options }: Style): string[] {
  const room = Math.max(20, options.width - factIndent.length - labelWidth);
  const fitted = options.verbose ? lines : lines.flatMap((line) => broken(line, room, s.more));
  return fitted.map((line, index) => {
    const shownLabel = (index === 0 ? label : '').padEnd(labelWidth);
    return `${factIndent}${warn ? p.yellow(shownLabel + line) : `${p.dim(shownLabel)}${line}`}`;
  });
}

function broken(line: string, room: number, more: string): string[] {
  if (displayWidth(line) <= room) return [line];
  const [first = '', ...rest] = wrapText(line, room - 2);
  const kept = [first, ...rest.slice(0, mostRows - 1).map((text) => `  ${text}`)];
  if (rest.length > mostRows - 1) kept[mostRows - 1] += ` ${more}`;
  return kept.map((text) => truncate(text, room, more));
}

/** Rows that one command or one sentence may take. */
const mostRows = 4;
const factIndent = '      ';
const labelWidth = 8;
