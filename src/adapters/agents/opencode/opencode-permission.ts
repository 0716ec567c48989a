import type { AgentRequest } from '../../../model/agents/agent.js';

/** What it may do. The last rule that fits counts, so what is not named below the star is denied. */
export function opencodePermission({ agent, access, helpers }: Pick<AgentRequest, 'agent' | 'access' | 'helpers'>): {
  readonly [name: string]: 'allow' | 'deny';
} {
  const usual = access === 'write' ? [...reading, ...writing] : reading;
  const wanted = agent.tools?.map((tool) => rightFor[tool] ?? tool) ?? (helpers > 0 ? [...usual, helperTool] : usual);
  const allowed = wanted.filter((right) => {
    // A star would stand for any tool.
    if (right.includes('*')) return false;
    if (right === helperTool) return helpers > 0;
    return access === 'write' || mayRead.has(right);
  });
  return { '*': 'deny', ...Object.fromEntries(allowed.map((right) => [right, 'allow' as const])) };
}

/** How it starts a helper of its own. */
export const helperTool = 'task';

const reading = ['read', 'glob', 'grep', 'list'];
const writing = ['edit', 'bash', 'todowrite', 'webfetch', 'websearch'];
const mayRead: ReadonlySet<string> = new Set([...reading, 'webfetch', 'websearch', 'codesearch', 'lsp']);

/** Tools that go by another name among the rights. */
const rightFor: { readonly [tool: string]: string } = {
  write: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  multiedit: 'edit',
};
