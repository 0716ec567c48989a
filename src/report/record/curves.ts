import type { Json } from '../../model/json.js';
import type { RunFacts } from '../history/run-facts.js';
import { recordsOf } from './result-data.js';

export interface CurvePoint {
  readonly step: number;
  readonly value: number;
  /** Of the file, from 1. */
  readonly line: number;
}

/** One metric of one task over its steps. */
export interface Curve {
  readonly task: string;
  readonly file: string;
  readonly metric: string;
  /** The values of the matrix without the seed, such as `arm=cosine`; empty for a task without a matrix. */
  readonly arm: string;
  readonly seed?: string;
  readonly points: readonly CurvePoint[];
  /** Lines whose value is no finite number: never drawn, always said. */
  readonly unusable: readonly number[];
}

const stepNames = ['step', 'global_step', 'iteration', 'iter', 'epoch', 'update'];
const seedNames: ReadonlySet<string> = new Set(['seed', 'replicate', 'repetition', 'fold']);

/** The curves in logs of one JSON object a line that name their step. */
export function curvesOf({ files, plan }: Pick<RunFacts, 'files' | 'plan'>): readonly Curve[] {
  const matrixOf = new Map(plan?.tasks.map(({ id, matrix }) => [id, matrix ?? {}]));
  return [...files.values()].flatMap((file) => {
    if (!file.path.endsWith('.jsonl')) return [];
    const records = recordsOf(file) ?? [];
    const step = stepNames.find((name) => records.some(({ fields }) => typeof fields[name] === 'number'));
    if (step === undefined) return [];
    const { arm, seed } = armOf(matrixOf.get(file.task) ?? {});
    const names = new Set(records.flatMap(({ fields }) => Object.keys(fields)));
    return [...names]
      .filter((name) => !stepNames.includes(name) && !seedNames.has(name))
      .flatMap((metric) => {
        const points: CurvePoint[] = [];
        const unusable: number[] = [];
        for (const { line, fields } of records) {
          const value = fields[metric];
          if (value === undefined) continue;
          const at = fields[step];
          if (isNumber(value) && isNumber(at)) points.push({ step: at, value, line });
          else if (isNumberLike(value)) unusable.push(line);
        }
        return points.length === 0 && unusable.length === 0
          ? []
          : [
              {
                task: file.task,
                file: file.path,
                metric,
                arm,
                ...(seed === undefined ? {} : { seed }),
                points,
                unusable,
              },
            ];
      });
  });
}

function armOf(matrix: { readonly [name: string]: Json }): { readonly arm: string; readonly seed?: string } {
  const named = Object.entries(matrix).filter(([name]) => !seedNames.has(name));
  const seed = Object.entries(matrix).find(([name]) => seedNames.has(name))?.[1];
  const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    arm: named.map(([name, value]) => (named.length === 1 ? text(value) : `${name}=${text(value)}`)).join(', '),
    ...(seed === undefined ? {} : { seed: text(seed) }),
  };
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number' && Number.isFinite(value);

/** `null`, "NaN" and "Infinity" stand where a number should. */
const isNumberLike = (value: Json): boolean =>
  value === null || typeof value === 'number' || (typeof value === 'string' && /^[+-]?(nan|inf(inity)?)$/i.test(value));
