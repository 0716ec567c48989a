import type { AgentRequest } from '../../../model/agents/agent.js';
import type { JsonObject } from '../../../model/json.js';
import { CallEnd } from './call-end.js';
import { parameters, type Tool, textOf, textType } from './tool.js';

export type ToolBox = ReadonlyMap<string, Tool>;

/** Every tool there is, with what it does with files. */
const kinds = {
  read_file: 'read',
  write_file: 'write',
  edit_file: 'write',
  list_files: 'read',
  search_code: 'read',
  get_file_info: 'read',
  run_command: 'write',
  ask_helper: 'read',
  finish: 'read',
} as const satisfies { readonly [name: string]: 'read' | 'write' };

export type ToolName = keyof typeof kinds;

/** The names that one call may use: what the config says, less what the access forbids. `finish` is how it ends. */
export function toolNames({ agent, access, helpers }: AgentRequest): ReadonlySet<ToolName> {
  const unknown = agent.tools?.find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined)
    throw new CallEnd('refused', `there is no tool "${unknown}"; there are ${Object.keys(kinds).join(', ')}`);
  const all = Object.keys(kinds) as ToolName[];
  const wanted = agent.tools ?? all.filter((name) => name !== 'run_command');
  return new Set(
    all.filter((name) => {
      if (name === 'finish') return true;
      if (name === 'ask_helper' && helpers <= 0) return false;
      return wanted.includes(name) && (access === 'write' || kinds[name] === 'read');
    }),
  );
}

/** Its arguments are the reply, whatever their shape: who asked looks at them. The loop ends it, so it does nothing. */
export const finishTool = (replySchema: JsonObject): Tool => {
  const { $schema: _, $id: __, ...schema } = replySchema;
  return {
    name: 'finish',
    description: 'Hands in your answer and ends the work. The arguments are the answer.',
    parameters: { ...schema, type: 'object' },
    about: () => '',
    run: () => 'handed in',
  };
};

/** What a helper answers with. */
export const helperReply = parameters({ answer: textType('What you found or did.') }, ['answer']);

export const askHelperTool = (ask: (task: string) => Promise<string>): Tool => ({
  name: 'ask_helper',
  description:
    'Gives a part of the work to a helper, who knows nothing but what you write here, and brings its answer.',
  parameters: parameters({ task: textType('What to do, with all that the helper has to know.') }, ['task']),
  about: ({ task }) => String(task ?? ''),
  run: (args) => ask(textOf(args, 'task')),
});
