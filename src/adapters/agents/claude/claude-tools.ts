import type { AgentRequest } from '../../../model/agents/agent.js';

export interface ClaudeTools {
  /** The tools there are at all; the wall behind the rules. */
  readonly names: readonly string[];
  /** Rules in its own words: what may be used, where they are in brackets on what. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  /** What its helpers are. */
  readonly helper: { readonly description: string; readonly prompt: string; readonly tools: readonly string[] };
}

export const helperName = 'helper';

/** The tool that starts a helper has had two names. */
export const helperTools: readonly string[] = ['Task', 'Agent'];

/** What claude may do in this call. */
export function claudeTools({ agent, access, helpers, scope }: AgentRequest): ClaudeTools {
  const asked = (agent.tools ?? (access === 'write' ? toWrite : toRead)).filter(
    (tool) => !helperTools.includes(nameOf(tool)),
  );
  const usable = access === 'write' ? asked : asked.filter((tool) => !editing.includes(nameOf(tool)));
  const names = [...new Set(usable.map(nameOf))];
  // With a scope, brackets of the config's own around paths would let it write elsewhere too.
  const isPlainEdit = (tool: string): boolean => editing.includes(scope ? nameOf(tool) : tool);
  return {
    names: [...names.filter((name) => !name.startsWith('mcp__')), ...(helpers > 0 ? helperTools : [])],
    allowed: [
      ...usable.filter((tool) => !isPlainEdit(tool)),
      // One rule stands for all tools that edit. The slash in front means the folder it works in, not that of the system.
      ...(usable.some(isPlainEdit) ? (scope ?? ['**']).map((glob) => `Edit(/${glob})`) : []),
      ...(helpers > 0 ? helperTools : []),
    ],
    denied: [...(access === 'write' ? [] : editing), ...(helpers > 0 ? [] : helperTools)],
    helper: {
      description: 'Looks into one question, or does one piece of the work, and reports back',
      prompt: 'Do what you are asked and nothing else, then report what you found or did in a few sentences.',
      tools: names.filter((name) => name !== 'Bash'),
    },
  };
}

const toRead: readonly string[] = ['Read', 'Glob', 'Grep'];
const toWrite: readonly string[] = ['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash'];
const editing: readonly string[] = ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'];

/** `Bash(git log *)` → `Bash`. */
const nameOf = (tool: string): string => tool.replace(/\(.*$/s, '').trim();
