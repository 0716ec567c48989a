/** For each preset with recordings: its agents, and the programs that answered when they were made. */
export const scriptedAgents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'deep-learning': Object.fromEntries(
    ['orchestrator', 'planner', 'coder', 'writer', 'scout', 'reviewer', 'judge'].map((name) => [name, 'team.mjs']),
  ),
  'code-task': { coder: 'coder.mjs' },
  'rl-parity': {
    executor: 'agent.mjs executor',
    verifier: 'agent.mjs verifier',
    reviewer: 'agent.mjs reviewer',
  },
  'self-modify': { judge: 'judge.mjs' },
  'metric-loop': { coder: 'coder.mjs' },
};
