import type { Diagnostic } from '../../model/diagnostic.js';
import type { IterateMetric } from '../../model/generated/config.js';
import type { JsonObject } from '../../model/json.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../../source/did-you-mean.js';
import { hasTemplate } from '../../source/template/template-node.js';
import { makesTable } from '../rules/compared-arms.js';
import type { Draft } from '../task/draft.js';

type Task = Draft['task'];

export interface NameTools {
  readonly behaviours: ReadonlyMap<string, LoadedBehaviour>;
  readonly drafts: readonly Draft[];
}

/** A number that the stage will never record would be missed when the baseline has been measured, which may take hours. */
export function metricNameProblems(
  { stage, name }: IterateMetric,
  task: Task,
  tools: NameTools,
): readonly Diagnostic[] {
  const known = hasTemplate(name) ? undefined : recordedBy(task, tools);
  if (!known || known.includes(name)) return [];
  const at = { kind: 'config', pointer: pointerOf('iterate', 'metric', 'name') } as const;
  const code = 'AR347';
  if (known.length === 0)
    return [
      {
        code,
        message: `stage "${stage}" (${task.uses}) records no numbers, so there will be no "${name}"`,
        at: { ...at, pointer: pointerOf('iterate', 'metric', 'stage') },
        hint: 'Let a stage that uses extract take the number out of what this one writes, and name that stage',
      },
    ];
  // Of several runs each has a number of that name.
  const one = known.find((other) => other.startsWith(`${name}[`));
  const near = one === undefined ? didYouMean(name, known) : `Did you mean "${one}"?`;
  const shown = known.length > mostNames ? `${known.slice(0, mostNames).join(', ')} …` : known.join(', ');
  const message = `stage "${stage}" records no "${name}"; it records ${shown}`;
  return [{ code, message, at, ...(near === undefined ? {} : { hint: near }) }];
}

const mostNames = 20;

/** Undefined where nobody can tell before it has run. */
function recordedBy(task: Task, { behaviours, drafts }: NameTools): readonly string[] | undefined {
  const own = declared(behaviours.get(task.uses), task.options as JsonObject);
  if (own || task.uses !== 'compare') return own;
  const { results, arm = 'arm', baseline } = task.options;
  const table = drafts.find(({ task: other }) => makesTable(other, results))?.task.options.each;
  const arms = (table as JsonObject | undefined)?.[String(arm)];
  if (!Array.isArray(arms)) return undefined;
  return arms.filter((name) => name !== baseline).map((name) => `improvement[${String(name)}]`);
}

/** Code of another lab: what it cannot say is not known. */
function declared(loaded: LoadedBehaviour | undefined, options: JsonObject): readonly string[] | undefined {
  try {
    const names: unknown = loaded?.behaviour.records?.(options);
    return Array.isArray(names) && names.every((one) => typeof one === 'string') ? names : undefined;
  } catch {
    return undefined;
  }
}
