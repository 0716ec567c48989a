import type { JsonObject } from '../model/json.js';
import type { StageContext } from '../model/stage.js';

/** What every piece of work ends with: what is run afterwards, what went wrong before, how the project wants to be worked on. */
export const promptEnd = `{{#if verify}}

These commands are run after you have answered, and have to pass:
{{#each verify}}
- {{this}}
{{/each}}
{{/if}}
{{#if helpers}}

You may start up to {{helpers}} helpers for parts that do not depend on each other. They change files, but run no tests; you bring their work together.
{{/if}}
{{#if trouble}}

Attempt {{trouble.attempt}} failed: {{trouble.what}}
{{#if trouble.lines}}
What it wrote:
{{#each trouble.lines}}
  {{this}}
{{/each}}
{{/if}}
{{/if}}
{{#if feedback}}

Your work was sent back with these words:
{{feedback}}
{{/if}}
{{#if agentsFile}}

How this project wants to be worked on (AGENTS.md):

{{agentsFile}}
{{/if}}
`;

/** The names that `promptEnd` speaks of. */
export async function promptEndFacts(
  { verify, helpers }: { readonly verify: readonly string[]; readonly helpers: number },
  context: StageContext,
): Promise<JsonObject> {
  const { trouble, feedback } = context;
  const agentsFile = context.listFiles(['AGENTS.md'])[0];
  return {
    verify: [...verify],
    helpers,
    agentsFile: agentsFile === undefined ? '' : (await context.readFile(agentsFile)).trim(),
    trouble: trouble ? { ...trouble, lines: [...trouble.lines] } : false,
    feedback: feedback ?? '',
  };
}
