import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { literally } from '../../model/glob.js';
import type { Task } from '../../model/plan.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { Project } from './open-project.js';

/**
 * What says what the study is and what it is judged by: config, presets and behaviours of its own, templates of prompts,
 * schemas, samples for judges, as patterns. No agent may change them, whatever its scope: who could, would have the next `exec` ask
 * less of it. What a stage makes is left out. Relative to the project; what lies elsewhere is not in it.
 */
export async function studyFiles(project: Project): Promise<readonly string[]> {
  const isMade = await isMadeIn(project);
  return [...new Set([...ownCode(project).map(literally), ...judgingFiles(project)])].filter((path) => !isMade(path));
}

/** Config, presets and behaviours, as paths. */
export function ownCode({ resolved, behaviours }: Project): readonly string[] {
  const { root, ownFiles } = resolved;
  const code = [...behaviours.values()].flatMap(({ files = [] }) => files);
  return [...ownFiles, ...code.flatMap((path) => insideOf(root, path) ?? [])];
}

/** Templates, schemas and samples, as patterns. */
export const judgingFiles = ({ plan }: Project): readonly string[] => [...new Set(plan.tasks.flatMap(judgedBy))];

/** Tells of a path or pattern whether a stage makes it. */
export async function isMadeIn({ plan }: Project): Promise<(path: string) => boolean> {
  const made = plan.tasks.flatMap(({ outputs, description }) => [...outputs, ...(description.writes ?? [])]);
  const match = await loadGlobMatch();
  return (path) => made.some((pattern) => pattern === path || match(pattern, path));
}

/** As its stage names them, so that a pattern stays one. */
function judgedBy({ schema, gate, options }: Task): readonly string[] {
  const template = typeof options.template === 'string' ? [options.template] : [];
  const ofGate = typeof gate === 'object' ? gate : undefined;
  const samples = ofGate?.kind === 'auto-judge' ? Object.values(ofGate.calibrate ?? {}).flat() : [];
  const checks = ofGate?.kind === 'auto' ? ofGate.checks : [];
  const schemas = checks.flatMap((check) => (typeof check === 'object' ? (check.schema ?? []) : []));
  return [...Object.values(schema), ...template, ...samples, ...schemas]
    .map((path) => path.replace(/^(\.\/)+/, ''))
    .filter((path) => !path.startsWith('..'));
}

function insideOf(root: string, path: string): string | undefined {
  try {
    const inside = relative(realpathSync(root), realpathSync(path));
    return inside.startsWith('..') || inside.startsWith('node_modules/') ? undefined : inside;
  } catch {
    return undefined;
  }
}
