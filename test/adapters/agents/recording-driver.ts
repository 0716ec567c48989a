import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { RecordingAgents } from '../../../src/adapters/agents/cassette/recording-agents.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { agentRequest } from '../../support/agent-request.js';

/** A recorder in a process of its own: asks one question for each line that it reads, or one after the other for ever. */
const [root = '', run = '', deed = ''] = process.argv.slice(2);

const agents = new RecordingAgents({
  root,
  run,
  home: '/nowhere',
  folder: join(root, '..', 'cassettes'),
  hide: (text) => text,
  clock: systemClock,
  agents: {
    ask: async ({ prompt }) => {
      writeFileSync(join(root, 'out'), `${prompt}\n`.repeat(deed === 'forever' ? 50_000 : 1));
      return { ok: true, reply: { by: run, prompt } };
    },
  },
});

const signals = { stop: new AbortController().signal, kill: new AbortController().signal };

async function ask(prompt: string): Promise<void> {
  const said = (line: string): void => console.log(line);
  await agents.ask(agentRequest({ agent: { backend: 'command' }, prompt, cwd: root, dir: root, said }), signals);
}

await ask('first');
console.log('ready');
if (deed === 'forever') {
  for (let count = 0; ; count += 1) await ask(`question ${count % 3}`);
} else {
  for await (const prompt of createInterface({ input: process.stdin })) {
    await ask(prompt);
    console.log('asked');
  }
}
