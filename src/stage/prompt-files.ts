import type { JsonObject } from '../model/json.js';
import type { StageContext } from '../model/stage.js';

/** What an agent should read before it begins. */
export const promptFiles = `{{#if inputs}}

Files to read first:
{{#each inputs}}
- {{this}}
{{/each}}
{{/if}}
`;

/** The names that `promptFiles` speaks of. A prompt is no place for ten thousand of them, and says so when it is cut. */
export function promptFilesFacts(context: Pick<StageContext, 'inputs' | 'listFiles'>): JsonObject {
  const files = context.listFiles(context.inputs);
  const more = files.length - mostFiles;
  return { inputs: more > 0 ? [...files.slice(0, mostFiles), `… and ${more} more`] : [...files] };
}

const mostFiles = 200;
