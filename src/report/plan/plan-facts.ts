import { formatDuration } from '../../model/duration.js';
import { totalTries } from '../../model/errors/retry-limits.js';
import type { Task } from '../../model/plan.js';
import { gateText } from '../gates/gate-text.js';
import { listed, plural } from '../words/phrase.js';
import type { Symbols } from '../words/symbols.js';
import { groupWhy } from './group-why.js';
import { needsText } from './needs-text.js';
import { type Decisions, decisionOf, groupTasks, type TaskGroup } from './task-group.js';

/** One labelled line below a task of the plan: `why     input: data.csv changed`. */
export interface Fact {
  readonly label: string;
  readonly lines: readonly string[];
  readonly warn?: boolean;
}

export interface FactContext {
  readonly decisions: Decisions;
  readonly stageOf: ReadonlyMap<string, string>;
  readonly symbols: Symbols;
  readonly verbose: boolean;
}

/** What `plan` says about the tasks of a stage, in reading order. Facts that do not apply are left out. */
export function groupFacts(group: TaskGroup, context: FactContext): Fact[] {
  const { tasks } = group;
  const first = tasks[0]!;
  const most = context.verbose ? Number.POSITIVE_INFINITY : 3;
  return [
    { label: 'does', lines: doesLines(group, context.decisions, most) },
    { label: 'agent', lines: asLines(agentText(first)) },
    { label: 'on', lines: asLines(clusterText(first)) },
    { label: 'makes', lines: asLines(listed([...new Set(tasks.flatMap(({ outputs }) => outputs))], most)) },
    { label: 'needs', lines: asLines(needsText(tasks, { ...context, most: context.verbose ? 100 : 3 })) },
    { label: 'why', lines: asLines(groupWhy(group, context.decisions, most)) },
    { label: 'gate', lines: first.gate === undefined ? [] : [gateText(first.gate)] },
    { label: 'limits', lines: asLines(limitsText(first)) },
    ...(context.verbose ? verboseFacts(first) : []),
    { label: 'raw', lines: asLines(rawText(tasks)), warn: true },
  ].filter(({ lines }) => lines.length > 0);
}

/** The facts of every task by itself, for a group that is not folded. */
export const ungrouped = (group: TaskGroup, decisions: Decisions): TaskGroup[] =>
  group.tasks.flatMap((task) => groupTasks([task], decisions));

/** The cluster and what its jobs ask for: `slurm: gpus 2, time 2 h`. */
function clusterText({ on }: Task): string {
  if (!on) return '';
  const asked = Object.entries(on.resources).map(([key, value]) =>
    key === 'timeMs' ? `time ${formatDuration(Number(value))}` : `${key} ${[value].flat().join(' ')}`,
  );
  return `${on.cluster}${asked.length > 0 ? `: ${asked.join(', ')}` : ''}`;
}

const asLines = (text: string): readonly string[] => (text === '' ? [] : [text]);

function doesLines({ tasks }: TaskGroup, decisions: Decisions, most: number): string[] {
  const example = tasks.find(({ id }) => decisionOf(decisions, id).action === 'run') ?? tasks[0]!;
  const { summary, commands = [] } = example.description;
  const lines = commands.flatMap((command) => command.trimEnd().split('\n'));
  const shown =
    lines.length > most + 1 ? [...lines.slice(0, most), `(${plural(lines.length - most, 'more line')})`] : lines;
  // A summary that only repeats the command would be noise.
  const said = summary === '' || commands.some((command) => command.includes(summary) || summary.includes(command));
  const all = said && shown.length > 0 ? shown : [summary, ...shown].filter((line) => line !== '');
  return tasks.length > 1 ? all.map((line, index) => (index === 0 ? `e.g. ${line}` : line)) : all;
}

/** `coder: claude, opus (anthropic), up to 3 helpers; may change src/**`. */
function agentText({ agent, scope, description }: Task): string {
  const helpers = description.asks?.helpers ?? 0;
  if (!agent) return '';
  const { name, backend, model, family, auto, replayed } = agent;
  const who = [
    replayed
      ? 'recordings'
      : auto
        ? `${backend} (${backend === 'api' ? 'no CLI is installed' : 'the first that is installed'})`
        : backend,
    ...(model === undefined ? [] : [model]),
    ...(family === undefined ? [] : [`family ${family}`]),
    ...(helpers > 0 ? [`up to ${plural(helpers, 'helper')}`] : []),
  ];
  return `${name}: ${who.join(', ')}${scope ? `; may change ${listed([...scope], 3)}` : ''}`;
}

function limitsText({ timeoutMs, idleMs, retry, parallel }: Task): string {
  const pause = retry.backoff === undefined ? '' : `, first pause ${retry.backoff}, then doubling`;
  const mends = typeof retry.fix === 'string' ? `agent ${retry.fix}` : retry.fix?.run;
  const fix = mends === undefined ? '' : `; between tries ${mends} mends`;
  return [
    ...(parallel === undefined ? [] : [`${parallel} of its tasks at once`]),
    ...(timeoutMs === undefined ? [] : [`at most ${formatDuration(timeoutMs)} per attempt`]),
    ...(idleMs === undefined ? [] : [`silent for at most ${formatDuration(idleMs)}`]),
    ...(retry.attempts > 1
      ? [`up to ${retry.attempts} tries per kind of error, ${totalTries(retry)} in all${pause}${fix}`]
      : []),
  ].join('; ');
}

function verboseFacts({ inputs, cwd, env, schema, cache, behaviour }: Task): Fact[] {
  return [
    { label: 'reads', lines: asLines(inputs.join(', ')) },
    { label: 'cwd', lines: cwd === '.' ? [] : [cwd] },
    { label: 'env', lines: Object.entries(env).map(([name, value]) => `${name}=${value}`) },
    { label: 'schema', lines: Object.entries(schema).map(([output, file]) => `${output} must satisfy ${file}`) },
    { label: 'cache', lines: cache ? [] : ['off: runs every time'] },
    { label: 'code', lines: [behaviour.slice(0, 12)] },
  ];
}

function rawText(tasks: readonly Task[]): string {
  const raw = new Set(tasks.flatMap(({ rawShell = [] }) => rawShell));
  if (raw.size === 0) return '';
  return `${listed([...raw])} ${raw.size === 1 ? 'goes' : 'go'} into shell text without quotes`;
}
