import type { LoadedBehaviour, OptionIssue } from '../../model/loaded-behaviour.js';
import type { Behaviour } from '../../model/stage.js';

/** The behaviours in stages/, each loaded when a config first uses it. */
const builtIn: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  agent: () => import('../../../stages/agent/index.js'),
  assert: () => import('../../../stages/assert/index.js'),
  command: () => import('../../../stages/command/index.js'),
  compare: () => import('../../../stages/compare/index.js'),
  extract: () => import('../../../stages/extract/index.js'),
  job: () => import('../../../stages/job/index.js'),
  parity: () => import('../../../stages/parity/index.js'),
  figure: () => import('../../../stages/figure/index.js'),
  render: () => import('../../../stages/render/index.js'),
  tasks: () => import('../../../stages/tasks/index.js'),
  review: () => import('../../../stages/review/index.js'),
  verify: () => import('../../../stages/verify/index.js'),
};

export const builtInNames: readonly string[] = Object.keys(builtIn);

/**
 * Undefined for a name that is not built in. The options are checked by code that `scripts/generate.mjs` made from their
 * schema, so that the usual case loads no schema compiler; only a mistake does. The digest is the version: an upgrade of this tool reruns
 * nothing unless the behaviour says that it does something else now.
 */
export async function loadBuiltIn(name: string): Promise<LoadedBehaviour | undefined> {
  const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (!load) return undefined;
  const behaviour = (await load()).default as Behaviour;
  const { validators } = await import('../generated/stage-validators.js');
  const isValid = validators[name]!;
  return {
    behaviour,
    digest: `${behaviour.name}@${behaviour.version}`,
    validate: (options) => (isValid(options) ? [] : explain(behaviour, options)),
  };
}

async function explain(behaviour: Behaviour, options: unknown): Promise<readonly OptionIssue[]> {
  const { optionCheck } = await import('./option-issues.js');
  const check = await optionCheck(behaviour.options);
  if (!check.ok) throw new Error(`the options schema of ${behaviour.name} is not valid: ${check.error}`);
  const issues = check.value(options);
  if (issues.length === 0) throw new Error(`the generated validator of ${behaviour.name} does not match its schema`);
  return issues;
}
