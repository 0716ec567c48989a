import type { Agent } from '../../model/generated/config.js';
import type { TaskAgent } from '../../model/plan.js';
import { familyOf } from '../expand/families.js';

/** The agent of a task, as far as its work depends on it. */
export function taskAgent(name: string, agent: Agent, { auto = false, replayed = false } = {}): TaskAgent {
  const family = familyOf(agent);
  const { tools, run, args, baseUrl, temperature } = agent;
  return {
    name,
    backend: agent.backend as TaskAgent['backend'],
    ...(agent.model === undefined ? {} : { model: agent.model }),
    ...(family === undefined ? {} : { family }),
    ...(tools === undefined ? {} : { tools }),
    ...(run === undefined ? {} : { run }),
    ...(args === undefined ? {} : { args }),
    // Without who logs in there: plans are shown.
    ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/\/[^/@]*@/, '//') }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(auto ? { auto } : {}),
    ...(replayed ? { replayed } : {}),
  };
}
