import { createHash } from 'node:crypto';
import type { Stage } from '../../model/generated/config.js';
import type { Json } from '../../model/json.js';
import { pointerOf } from '../../model/pointer.js';
import { kindOf } from '../../source/template/template-render.js';
import type { Problems } from '../problems.js';
import type { TemplateFields } from '../task/template-fields.js';
import { axesOf, changedCombinations } from './matrix-changes.js';

export interface Combination {
  readonly id: string;
  /** Absent for a stage without a matrix. */
  readonly matrix?: { readonly [name: string]: Json };
}

/** The tasks that a stage with a matrix stands for: one of each combination of its matrix, the last name varying fastest. */
export function expandMatrix(name: string, axes: NonNullable<Stage['matrix']>, tools: Tools): Combination[] {
  let combinations: Record<string, Json>[] = [{}];
  for (const [axis, written] of Object.entries(axesOf(axes))) {
    const values = axisValues(written as Json, ['stages', name, 'matrix', axis], tools);
    if (combinations.length * values.length > mostTasks) {
      const count = combinations.length * values.length;
      tools.problems.add({
        code: 'AR204',
        message: `the matrix would make ${count} tasks or more; ${mostTasks} is the most`,
        at: { kind: 'config', pointer: pointerOf('stages', name, 'matrix') },
      });
      return [];
    }
    combinations = combinations.flatMap((matrix) => values.map((value) => ({ ...matrix, [axis]: value })));
  }
  const seen = new Map<string, Json>();
  return changedCombinations(combinations, axes, { ...tools, stage: name }).flatMap((matrix) => {
    const id = shorten(`${name}:${labelOf(matrix)}`);
    const other = seen.get(id);
    if (other === undefined) {
      seen.set(id, matrix);
      return [{ id, matrix }];
    }
    tools.problems.add({
      code: 'AR505',
      message: `${JSON.stringify(other)} and ${JSON.stringify(matrix)} would both be called ${id}`,
      at: { kind: 'config', pointer: pointerOf('stages', name, 'matrix') },
      hint: 'Give values that differ in letters, digits or . _ + -',
    });
    return [];
  });
}

const labelOf = (matrix: { readonly [axis: string]: Json }): string =>
  Object.keys(matrix)
    .map((axis) => `${axis}=${fileName(matrix[axis]!)}`)
    .join(',');

/** Nobody means more, and a machine could not hold them. */
const mostTasks = 1_000_000;

interface Tools {
  readonly fields: TemplateFields;
  readonly problems: Problems;
}

function axisValues(written: Json, path: readonly string[], { fields, problems }: Tools): readonly Json[] {
  const before = fields.failures;
  const values = fields.data(written, path);
  // A template that could not be filled in has been complained about.
  if (fields.failures > before) return [];
  const at = { kind: 'config', pointer: pointerOf(...path) } as const;
  if (!Array.isArray(values) || values.length === 0) {
    const message = Array.isArray(values)
      ? 'the list is empty, so there would be no task'
      : 'a matrix needs a list of values, and this gives one';
    problems.add({ code: 'AR408', message, at });
    return [];
  }
  return (values as Json[]).filter((value, index) => {
    if (typeof value !== 'object') return true;
    const message = `a value of a matrix is text, a number or true or false, and this gives ${kindOf(value)}`;
    problems.add({ code: 'AR408', message, at: { ...at, pointer: pointerOf(...path, index) } });
    return false;
  });
}

/** Task names are names of folders, which may have 255 bytes. */
const shorten = (id: string): string =>
  id.length <= 200 ? id : `${id.slice(0, 190)}~${createHash('sha256').update(id).digest('hex').slice(0, 8)}`;

/** A value as part of a task's name, which is a folder's name too. */
const fileName = (value: Json): string => String(value).replace(/[^A-Za-z0-9._+-]/g, '_');
