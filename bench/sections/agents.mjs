import { measure, ratio } from '../lib/measure.mjs';
import { didAll, exec, project } from '../lib/ours.mjs';

const base = 'the same scripts as commands';

/** What it costs to ask an agent, besides the agent: booking, watching the files, reading the reply, keeping the record. */
export function agents({ rounds, quick }) {
  const tasks = quick ? 10 : 50;
  const script = `#!/bin/sh\nmkdir -p out\necho x > "out/$1"\necho '{"outcome":"done","summary":"wrote it","usd":0}'\n`;
  const files = { 'agent.sh': script };
  const list = Array.from({ length: tasks }, (_, index) => index);
  const plain = project('agents/commands', { ...files, 'autoresearch.config.json': asCommands(list) }, ['out']);
  const asked = project('agents/agents', { ...files, 'autoresearch.config.json': asAgents(list) }, ['out']);
  const rows = measure(
    [
      { name: base, ...plain, run: plain.run(...exec), check: didAll(plain.cwd, tasks) },
      { name: `${tasks} calls of an agent`, ...asked, run: asked.run(...exec), check: didAll(asked.cwd, tasks) },
    ].map((contender) => ({ ...contender, base })),
    { rounds, title: 'agents' },
  );
  return {
    title: `Asking agents: ${tasks} tasks, two at a time`,
    rows,
    targets: [
      { target: `${tasks} calls of an agent`, unit: `× ${base}`, measured: ratio(rows, `${tasks} calls of an agent`) },
    ],
  };
}

const matrix = (list) => ({ matrix: { n: list }, outputs: ['out/{{matrix.n}}'] });

const asCommands = (list) =>
  JSON.stringify({
    name: 'plain',
    stages: { work: { uses: 'command', with: { run: ['sh', 'agent.sh', '{{matrix.n}}'] }, ...matrix(list) } },
  });

const asAgents = (list) =>
  JSON.stringify({
    name: 'asked',
    agents: { a: { backend: 'command', run: 'sh agent.sh "${AUTORESEARCH_TASK#work:n=}"', limits: { usd: 1 } } },
    budget: { usdPerRun: 1000 },
    stages: { work: { uses: 'agent', agent: 'a', with: { instructions: 'Write the file.' }, ...matrix(list) } },
  });
