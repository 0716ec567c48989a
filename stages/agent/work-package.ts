import {
  type JsonObject,
  promptEnd,
  promptEndFacts,
  promptFiles,
  promptFilesFacts,
  type StageContext,
} from 'autoresearch';
import { kinds, type TaskKind } from './kinds.js';
import type { AgentOptions } from './options.js';

/** Everything an agent has to know, as one text. How to answer is added by the runner. */
export async function workPackage(kind: TaskKind, options: AgentOptions, context: StageContext): Promise<string> {
  const facts = await factsOf(kind, options, context);
  if (options.template === undefined) return context.render(ours, facts);
  const own = options.data ?? {};
  const taken = Object.keys(own).filter((name) => Object.hasOwn(facts, name));
  if (taken.length > 0) throw new Error(`data names ${taken.join(', ')}, which the runner gives itself`);
  try {
    return await context.render(await context.readFile(options.template), { ...facts, ...own } as JsonObject);
  } catch (error) {
    const names = [...Object.keys(facts), ...Object.keys(own)].join(', ');
    throw new Error(`${options.template}: ${(error as Error).message}; it may use ${names}`);
  }
}

async function factsOf(kind: TaskKind, options: AgentOptions, context: StageContext): Promise<JsonObject> {
  const { instructions = '', criteria = [], helpers = 0, verify = [] } = options;
  return {
    task: context.task,
    stage: context.stage,
    kind,
    instructions: instructions.trim(),
    rules: [...kinds[kind].rules],
    criteria: [...criteria],
    ...promptFilesFacts(context),
    // Who may only look writes nothing; the runner does.
    outputs: kinds[kind].access === 'write' ? [...context.outputs] : [],
    scope: [...(context.scope ?? [])],
    writes: kinds[kind].access === 'write',
    ...(await promptEndFacts({ verify: typeof verify === 'string' ? [verify] : verify, helpers }, context)),
    attempt: context.attempt,
    matrix: { ...context.matrix },
    vars: { ...context.vars },
  };
}

const ours = `Task "{{task}}" ({{kind}}).
{{#if instructions}}

{{instructions}}
{{/if}}

Rules:
{{#each rules}}
- {{this}}
{{/each}}
{{#if criteria}}

What is asked of the work:
{{#each criteria}}
- {{this}}
{{/each}}
{{/if}}
${promptFiles}{{#if outputs}}

Files that have to be there, not empty and written anew, when you are done:
{{#each outputs}}
- {{this}}
{{/each}}
{{/if}}
{{#if writes}}
{{#if scope}}

You may change only the following files{{#if outputs}}, besides the ones just named{{/if}}. Anything else that you change ends the run. If others would have to be changed, change nothing and answer "escalate" with the reason "scope" and these files:
{{#each scope}}
- {{this}}
{{/each}}
{{/if}}
{{/if}}
${promptEnd}`;
