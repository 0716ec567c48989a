import type { AgentRequest } from '../../../model/agents/agent.js';

type Rights = Pick<AgentRequest, 'agent' | 'access' | 'helpers'>;

/**
 * What it may do, in the language of its policy engine. What is not allowed by name is denied, tools of MCP servers
 * included, and the model does not even hear of it.
 */
export function geminiPolicy(request: Rights): string {
  const allowed = geminiTools(request);
  const allow = [`toolName = ${JSON.stringify(allowed)}`, 'decision = "allow"', 'priority = 999'];
  // Without it a command with a `>` would have to be confirmed by somebody.
  allow.push('allowRedirection = true');
  const deny = ['toolName = "*"', 'decision = "deny"', 'priority = 998'];
  const rules = allowed.length > 0 ? [allow, deny] : [deny];
  return rules.map((lines) => `[[rule]]\n${lines.join('\n')}\n`).join('\n');
}

/** The tools by name. Who may only read gets none that could write, whatever the config lists. */
export function geminiTools({ agent, access, helpers }: Rights): readonly string[] {
  const usual = access === 'write' ? [...reading, ...writing] : reading;
  const wanted = agent.tools ?? (helpers > 0 ? [...usual, helperTool] : usual);
  return wanted.filter((tool) => {
    // A star in a rule would stand for any tool.
    if (tool.includes('*')) return false;
    if (tool === helperTool) return helpers > 0;
    return access === 'write' || mayRead.has(tool);
  });
}

/** How it starts a helper of its own. */
export const helperTool = 'invoke_agent';

const reading = ['list_directory', 'read_file', 'read_many_files', 'glob', 'grep_search'];
const writing = ['write_file', 'replace', 'run_shell_command', 'write_todos', 'google_web_search', 'web_fetch'];
const mayRead: ReadonlySet<string> = new Set([...reading, 'google_web_search', 'web_fetch']);
