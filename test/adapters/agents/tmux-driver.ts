import { TmuxAgent } from '../../../src/adapters/agents/tmux/tmux-agent.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { agentRequest } from '../../support/agent-request.js';

/** A runner that asks one question and can be killed while it waits: socket, prefix, program, folder, prompt. */
const [socket = '', prefix = '', run = '', dir = '', prompt = ''] = process.argv.slice(2);
const agent = new TmuxAgent({
  socket,
  prefix,
  env: { PATH: process.env.PATH, HOME: dir },
  clock: systemClock,
  words: ({ code }) => code,
});
const never = new AbortController().signal;
const request = agentRequest({
  agent: { backend: 'command', run, interactive: true, lifecycle: 'persistent' },
  prompt,
  cwd: dir,
  dir,
  env: { AUTORESEARCH_TASK: 'first' },
});
console.log(JSON.stringify(await agent.ask(request, { stop: never, kill: never })));
