import type { IterationMeasured } from '../../model/events/iteration-event.js';
import { type Failure, isOfGate } from '../../model/failure.js';
import type { IterateMetric } from '../../model/generated/config.js';
import type { Plan, Task } from '../../model/plan.js';
import type { OverspentCall, RunState, TaskState } from '../../model/state/run-state.js';

export type Measured = Omit<IterationMeasured, 'type' | 'number' | 'repeat'>;

export interface MeasureTools {
  readonly metric?: IterateMetric | undefined;
  words(failure: Failure): string;
  overspent(call: OverspentCall): string;
  /** What a task that failed said last of why, and where all of it is; nothing where that tells nothing. */
  said?(task: TaskState): { readonly line?: string; readonly log?: string };
}

/** Outcomes that say what an iteration came to. Any other is somebody's to go on from. */
export const isMeasurable = ({ outcome }: RunState): boolean => outcome === 'passed' || outcome === 'failed';

/** What the run of an iteration came to. A number that is not there, or is none, is a failure and never zero. */
export function measureRun(state: RunState, plan: Plan, tools: MeasureTools): Measured {
  const { usd, unpricedCalls } = state.spend;
  const tried = triedIn(state, plan);
  const warnings = [
    ...(state.overspent ?? []).map((call) => `${call.task}: ${tools.overspent(call)}`),
    ...plan.tasks.flatMap(({ id }) => state.tasks.get(id)?.warnings ?? []),
  ];
  const common = {
    run: state.run,
    usd,
    unpricedCalls,
    workedMs: state.workedMs,
    ...(tried === undefined ? {} : { tried }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, mostWarnings) }),
  };
  if (state.outcome !== 'passed') return { ...common, ...failureOf(state, plan, tools) };
  const { metric } = tools;
  if (!metric) return common;
  const task = plan.tasks.find(({ stage }) => stage === metric.stage);
  const known = task && state.tasks.get(task.id);
  if (known?.status !== 'passed') return { ...common, failure: `${metric.stage} did not run in this iteration` };
  const { metrics = {} } = known;
  const value = Object.hasOwn(metrics, metric.name) ? metrics[metric.name] : undefined;
  if (value === undefined) return { ...common, failure: missing(metric, metrics) };
  if (!Number.isFinite(value)) return { ...common, failure: `${metric.name} of ${metric.stage} is no number` };
  return { ...common, value, metrics };
}

const missing = ({ stage, name }: IterateMetric, metrics: object): string => {
  const names = Object.keys(metrics);
  return `${stage} recorded no "${name}"${names.length === 0 ? '' : `, only ${names.join(', ')}`}`;
};

function failureOf(
  state: RunState,
  plan: Plan,
  { words, said }: MeasureTools,
): Pick<Measured, 'failure' | 'rejected' | 'log'> {
  for (const { id } of plan.tasks) {
    const task = state.tasks.get(id);
    const { status, failure } = task ?? {};
    if (!task || status !== 'failed' || !failure) continue;
    const isPerson = isOfGate(failure) && failure.code === 'gate-rejected' && failure.by.kind === 'person';
    const { line, log } = isOfGate(failure) ? {} : (said?.(task) ?? {});
    return {
      failure: `${id}: ${words(failure)}${line === undefined ? '' : `: ${line}`}`,
      ...(log === undefined ? {} : { log }),
      ...(isPerson ? { rejected: true as const } : {}),
    };
  }
  return { failure: 'the run failed' };
}

/** In the words of the agents that did it. */
function triedIn({ tasks }: RunState, plan: Plan): string | undefined {
  const isAuthor = ({ description }: Task): boolean => description.asks?.role === 'author';
  const said = plan.tasks.filter(isAuthor).flatMap(({ id }) => tasks.get(id)?.summary ?? []);
  return said.length === 0 ? undefined : said.join('; ').slice(0, longest);
}

const longest = 4000;
const mostWarnings = 20;
