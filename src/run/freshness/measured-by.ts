import { posix } from 'node:path';
import { gateMap } from '../../model/gates/gate-words.js';
import { foldersOf, globsMayMeet, isGlob, isWithin } from '../../model/glob.js';
import type { Plan, Task } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import { evidencePatterns } from '../gates/shown.js';

/** What somebody measures by: tasks that read results, and the expressions of gates. */
export interface Measured {
  readonly paths: ReadonlySet<string>;
  /** All folders that one of the paths lies in. */
  readonly folders: ReadonlySet<string>;
  /** Globs and folders that gates go by; only the files of data in them are meant. */
  readonly patterns: readonly string[];
}

export const nothingMeasured: Measured = { paths: new Set(), folders: new Set(), patterns: [] };

export function measuredBy(plan: Plan): Measured {
  let known = measured.get(plan);
  if (!known) {
    const read = plan.tasks.flatMap(({ description }) => description.mustBeNew ?? []);
    const judged = plan.tasks.flatMap(judgedFiles);
    const isFile = (path: string): boolean => !isGlob(path) && isData(path);
    const paths = new Set([...read, ...judged.filter(isFile)].map((path) => posix.normalize(path)));
    const patterns = [...new Set(judged.filter((path) => !isFile(path)))];
    known = { paths, folders: new Set([...paths].flatMap(foldersOf)), patterns };
    measured.set(plan, known);
  }
  return known;
}

const measured = new WeakMap<Plan, Measured>();

export const isMeasured = (plan: Plan): boolean => {
  const { paths, patterns } = measuredBy(plan);
  return paths.size + patterns.length > 0;
};

/** The files that the expressions of a gate speak of; nothing where there is no expression. */
export function judgedFiles(task: Task): readonly string[] {
  if (task.gate === undefined) return [];
  const gate = gateMap(task.gate);
  if (gate.kind !== 'auto' || !gate.checks.some((check) => typeof check === 'string')) return [];
  return [...new Set([...task.outputs, ...evidencePatterns(task)])];
}

/** What an expression can look into. */
export const isData = (path: string): boolean => /\.(json|ya?ml)$/.test(path);

/** Whether an output of the task may be something that somebody measures by. */
export const isMeasuredOutput = ({ outputs }: Task, { paths, folders, patterns }: Measured): boolean =>
  outputs.some(
    (output) =>
      paths.has(output) ||
      folders.has(output) ||
      (isGlob(output) && [...paths].some((path) => globsMayMeet(output, path))) ||
      patterns.some((pattern) => mayMeet(pattern, output)),
  );

/** Those of these outputs of a task that somebody measures by. */
export function measuredIn(found: readonly string[], { outputs }: Task, known: Measured, files: Files): Set<string> {
  const near = known.patterns.filter((pattern) => outputs.some((output) => mayMeet(pattern, output)));
  const judged = new Set(near.length === 0 ? [] : files.expand(near).filter(isData));
  return new Set(found.filter((path) => known.paths.has(path) || judged.has(path)));
}

const mayMeet = (a: string, b: string): boolean => isWithin(a, b) || isWithin(b, a) || globsMayMeet(a, b);
