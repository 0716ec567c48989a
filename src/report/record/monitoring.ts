import { lineOf, type RunFacts } from '../history/run-facts.js';
import { grouped } from '../words/grouped.js';
import { type CurvePoint, curvesOf } from './curves.js';

/** How a training or another long task went, as its own log tells. */
export interface Monitored {
  readonly task: string;
  readonly file: string;
  readonly lastStep: number;
  /** In seconds, the mean of what the log says; null: the log does not say. */
  readonly stepSeconds: number | null;
  /** The last line that tells of it. */
  readonly stepLine: number | null;
  readonly lastLoss: number | null;
  readonly lossName: string | null;
  readonly lossLine: number | null;
  /** Failed attempts of the task, and lines whose numbers cannot be used. */
  readonly errors: number;
}

/** Where its numbers stand. */
export interface MonitoringLines {
  /** Of the log. */
  readonly step: number;
  /** What the log calls the time of a step, and the lines that tell of it. */
  readonly timeName: string;
  readonly times: readonly number[];
  /** Of the log: a line stands twice where two of its numbers cannot be used. */
  readonly unusable: readonly number[];
  /** Of the journal. */
  readonly failed: readonly number[];
}

export const monitoringOf = (facts: RunFacts): readonly Monitored[] => monitored(facts).map(({ told }) => told);

/** For each of `monitoringOf`, in the same order. */
export const monitoringLines = (facts: RunFacts): readonly MonitoringLines[] =>
  monitored(facts).map(({ lines }) => lines);

function monitored(facts: RunFacts): readonly { readonly told: Monitored; readonly lines: MonitoringLines }[] {
  const failures = grouped(
    facts.entries.flatMap((entry) => (entry.type === 'task-failed' && entry.counted ? [entry] : [])),
    ({ task }) => task,
  );
  return [...grouped(curvesOf(facts), ({ file }) => file)].map(([file, curves]) => {
    const { task } = curves[0]!;
    const loss =
      curves.find(({ metric }) => /^(train[_/]?)?loss$/i.test(metric)) ??
      curves.find(({ metric }) => /loss/i.test(metric));
    const last = loss?.points.at(-1);
    const time = curves.find(({ metric }) =>
      /^(step_?time|time_per_step|seconds_per_step|step_?seconds)(_s)?$/i.test(metric),
    );
    const ends = curves.flatMap(({ points }) => points.at(-1) ?? []);
    const end = ends.reduce<CurvePoint | undefined>(
      (far, point) => (far && far.step >= point.step ? far : point),
      undefined,
    );
    const lines: MonitoringLines = {
      step: end?.line ?? 1,
      timeName: time?.metric ?? '',
      times: time?.points.map(({ line }) => line) ?? [],
      unusable: curves.flatMap(({ unusable }) => unusable).sort((one, other) => one - other),
      failed: (failures.get(task) ?? []).map(lineOf),
    };
    const told: Monitored = {
      task,
      file,
      lastStep: end?.step ?? 0,
      stepSeconds: time && time.points.length > 0 ? mean(time.points.map(({ value }) => value)) : null,
      stepLine: time?.points.at(-1)?.line ?? null,
      lastLoss: last?.value ?? null,
      lossName: loss?.metric ?? null,
      lossLine: last?.line ?? null,
      errors: lines.failed.length + lines.unusable.length,
    };
    return { told, lines };
  });
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
