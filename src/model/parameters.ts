import type { TaskId } from './plan.js';

/** Variables of jobs that were changed to mend something. */
export type ParameterSet = { readonly [name: string]: string };

/**
 * What was changed in one arm holds for every arm from here on: those that had passed with other values are done again.
 * Also told when a run begins with results that were made so.
 */
export interface ParametersChanged {
  readonly type: 'parameters-changed';
  /** Whose job it was changed for; absent where an earlier run had done so. */
  readonly task?: TaskId;
  /** Whose tasks are alike: see `groupOf`. */
  readonly group: string;
  /** All that holds now. */
  readonly set: ParameterSet;
  /** What was found out about the job that it was changed for. */
  readonly diagnosis?: string;
  readonly to: readonly TaskId[];
  readonly downstream: readonly TaskId[];
}

export const sameParameters = (a: ParameterSet, b: ParameterSet): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
};

/** `BATCH=8, SEQUENCE=512`. */
export const parameterWords = (set: ParameterSet): string =>
  Object.entries(set)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ') || 'nothing changed';

/** `was changed to BATCH=8 (because the GPU ran out of memory)`. */
export const changedWords = ({ set, diagnosis }: Pick<ParametersChanged, 'set' | 'diagnosis'>): string =>
  `was changed to ${parameterWords(set)}${diagnosis === undefined ? '' : ` (because ${diagnosis})`}`;

/** The tasks of one stage, or of all stages that name the same parity check. */
export const groupOf = (stage: string, check: string | undefined): string =>
  check === undefined ? `stage ${stage}` : `parity ${check}`;
