import type { Behaviour } from '../model/stage.js';

/** What is wrong with a module that should be a behaviour; undefined when it is one. */
export function behaviourProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'its default export is not an object';
  const parts = value as Record<keyof Behaviour, unknown>;
  for (const name of ['name', 'summary', 'version'] as const) {
    if (typeof parts[name] !== 'string' || parts[name] === '') return `its "${name}" is not a text`;
  }
  if (typeof parts.options !== 'object' || parts.options === null) return 'its "options" is not a JSON Schema';
  for (const name of ['describe', 'run'] as const) {
    if (typeof parts[name] !== 'function') return `its "${name}" is not a function`;
  }
  for (const name of ['recheck', 'expands', 'submits', 'records'] as const) {
    if (parts[name] !== undefined && typeof parts[name] !== 'function') return `its "${name}" is not a function`;
  }
  return undefined;
}
