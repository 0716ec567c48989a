import {
  type JsonObject,
  type KeyLink,
  promptEnd,
  promptEndFacts,
  promptFiles,
  promptFilesFacts,
  type StageContext,
  type TaskItem,
} from 'autoresearch';
import { checksOf, type TasksOptions } from './options.js';

/** Everything the agent of one task has to know, as one text. How to answer is added by the runner. */
export async function workPackage(given: TasksOptions, item: TaskItem, context: StageContext): Promise<string> {
  return context.render(text, {
    id: item.id,
    title: item.title,
    description: item.description.trim(),
    instructions: (given.instructions ?? '').trim(),
    steps: item.steps.map(({ name, type, action, files }) => ({
      name,
      type,
      action: action.trim(),
      files: [...files],
    })),
    files: [...item.files],
    scope: item.files.length > 0 ? [] : [...(context.scope ?? [])],
    ...promptFilesFacts(context),
    truths: [...item.mustHaves.truths],
    artifacts: item.mustHaves.artifacts.map(({ path, provides, contains }) => ({
      path,
      provides: provides ?? '',
      contains: contains ?? '',
    })),
    links: item.mustHaves.keyLinks.map((link) => linkText(link)),
    criteria: [...item.criteria],
    summary: item.summary,
    ...(await promptEndFacts({ verify: checksOf(given, item), helpers: given.helpers ?? 0 }, context)),
  } as JsonObject);
}

const linkText = ({ from, to, via, pattern }: KeyLink): string =>
  `${from} → ${to}${via === undefined ? '' : `, ${via}`}${pattern === undefined ? '' : ` (pattern: ${pattern})`}`;

const text = `Task "{{id}}": {{title}}
{{#if description}}

{{description}}
{{/if}}
{{#if steps}}

Steps, in this order:
{{#each steps}}

### {{name}}{{#if files}} ({{#each files}}{{this}}{{#unless @last}}, {{/unless}}{{/each}}){{/if}}
{{action}}
{{/each}}
{{/if}}
{{#if instructions}}

{{instructions}}
{{/if}}

Rules:
- Carry out this task, all of it and nothing else. Other tasks of the same plan are done by others at the same time, in other worktrees.
- The design is given: do not choose or change architecture, algorithm, hyper-parameters, data or metrics. If it cannot be built as it is, change nothing and answer "escalate" with the reason "design".
- Do not commit, and do not write {{summary}}: the runner does both.
{{#if files}}

You may change only the following files. Anything else that you change ends the run. If others would have to be changed, change nothing and answer "escalate" with the reason "scope" and these files:
{{#each files}}
- {{this}}
{{/each}}
{{/if}}
{{#if scope}}

You may change only the following files. Anything else that you change ends the run:
{{#each scope}}
- {{this}}
{{/each}}
{{/if}}
${promptFiles}{{#if truths}}

What must be true when you are done:
{{#each truths}}
- {{this}}
{{/each}}
{{/if}}
{{#if artifacts}}

What must be there when you are done:
{{#each artifacts}}
- {{path}}{{#if provides}}: {{provides}}{{/if}}{{#if contains}} (contains "{{contains}}"){{/if}}
{{/each}}
{{/if}}
{{#if links}}

What must be connected:
{{#each links}}
- {{this}}
{{/each}}
{{/if}}
{{#if criteria}}

What a reader will look for:
{{#each criteria}}
- {{this}}
{{/each}}
{{/if}}
${promptEnd}`;
