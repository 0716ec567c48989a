import type { Address } from '../model/diagnostic.js';
import type { JsonObject } from '../model/json.js';
import type { LoadedBehaviour } from '../model/loaded-behaviour.js';
import type { Description } from '../model/plan.js';
import { pointerOf } from '../model/pointer.js';
import type { StageFacts } from '../model/stage.js';
import type { Problems } from './problems.js';

/** A behaviour of another lab may throw while it describes itself; that is a mistake of its code, found before it runs. */
export function describeTask(
  { behaviour }: LoadedBehaviour,
  options: JsonObject,
  { facts, problems }: { readonly facts: StageFacts; readonly problems: Problems },
): Description {
  try {
    const description: unknown = behaviour.describe(options, facts);
    if (isDescription(description)) return description;
    problems.add({
      ...badDescription(facts.stage),
      message: `describe() of ${behaviour.name} does not answer with a summary and lists of text`,
    });
  } catch (error) {
    problems.add({
      ...badDescription(facts.stage),
      message: `describe() of ${behaviour.name} threw: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
  return { summary: '' };
}

const badDescription = (stage: string): { readonly code: 'AR305'; readonly at: Address } => ({
  code: 'AR305',
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'uses') },
});

const isDescription = (value: unknown): value is Description =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Description).summary === 'string' &&
  [(value as Description).commands, (value as Description).reads, (value as Description).writes].every(isTexts);

const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
