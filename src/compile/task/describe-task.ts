import type { Address } from '../../model/diagnostic.js';
import { isCount, type JsonObject } from '../../model/json.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import type { AskDescription, Description } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { StageFacts } from '../../model/stage.js';
import type { Problems } from '../problems.js';

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
  ((value as Description).always ?? true) === true &&
  ((value as Description).repeats ?? true) === true &&
  textLists.every((key) => isTexts((value as Description)[key])) &&
  ((value as Description).always ?? true) === true &&
  isCount((value as Description).fixes ?? 0) &&
  ((value as Description).jobs ?? true) === true &&
  typeof ((value as Description).parity ?? '') === 'string' &&
  isAsk((value as Description).asks);

const textLists = ['commands', 'reads', 'looksAt', 'mustBeNew', 'writes', 'problems'] as const;

const isAsk = (value: unknown): boolean => {
  if (value === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  const { role, helpers, questions = 1, reviews } = value as Partial<AskDescription>;
  return (role === 'author' || role === 'reviewer') && isCount(helpers) && isCount(questions) && isTexts(reviews);
};

const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
