import type { AgentRequest } from '../../src/model/agents/agent.js';

type Needed = Pick<AgentRequest, 'agent' | 'cwd' | 'dir'>;

/** A question as the runner would ask it, with what a test does not care about filled in. */
export const agentRequest = (own: Needed & Partial<AgentRequest>): AgentRequest => ({
  name: 'coder',
  role: 'author',
  task: 'a',
  prompt: 'do it\n',
  replySchema: { type: 'object' },
  access: 'write',
  helpers: 0,
  env: {},
  said: () => {},
  root: own.cwd,
  ...own,
});
