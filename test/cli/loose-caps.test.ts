import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const program = '#!/bin/sh\necho 1.0.0\n';

/** Each agent has a stage; none is ever asked. */
function study(agents: Record<string, object>, more: object = {}): Project {
  const stages = Object.fromEntries(
    Object.keys(agents).map((agent) => [
      `by-${agent}`,
      { uses: 'agent', agent, with: { instructions: 'go' }, outputs: [`${agent}.txt`] },
    ]),
  );
  return new Project({
    'autoresearch.config.json': JSON.stringify({ name: 'study', agents, stages, ...more }),
    'own.sh': program,
  });
}

const limits = { usd: 2, timeout: '1m' };
const mine = { backend: 'command', run: 'sh own.sh', family: 'mine', limits };
const priced = { prices: { tiny: { input: 1, output: 2 } } };
const api = { backend: 'api', baseUrl: 'http://127.0.0.1:9', model: 'tiny', limits };

/** The lines of a plan that belong to one label, as one. */
const labelled = (text: string, label: string): string | undefined =>
  new RegExp(`^${label}: +(.*(?:\\n {12}.*)*)`, 'm').exec(text)?.[1]?.replace(/\s+/g, ' ');

describe('a cap that does not end a call while it goes on', () => {
  it('is told by plan and by doctor, with the reason', async () => {
    const project = study({ mine, other: { ...api, model: 'unpriced', family: 'x' } });
    const words =
      'limits.usd of other does not end a call, because prices has no entry for the model; what it cost is booked afterwards; ' +
      'limits.usd of mine ends a call only by what the program prints while it runs ({"spent": {"usd": …}})';
    expect(labelled((await project.run('plan')).stdout, 'Caps')).toBe(`${words}.`);
    expect((await project.run('doctor')).stdout.replace(/\s+/g, ' ')).toContain(words);
  });

  it('of a terminal program never does', async () => {
    const project = study({ mine: { ...mine, interactive: true } });
    expect(labelled((await project.run('plan')).stdout, 'Caps')).toBe(
      'limits.usd of mine does not end a call, because a terminal program tells what it cost when it is done.',
    );
  });

  it('is not spoken of where it does, or where there is none', async () => {
    const project = study(
      { api, claude: { backend: 'claude', path: './own.sh', limits }, mine: { ...mine, limits: {} } },
      priced,
    );
    expect(labelled((await project.run('plan')).stdout, 'Caps')).toBeUndefined();
  });
});

describe('a program that tells what it has spent', () => {
  it('is ended by the runner, and all that it told is booked', async () => {
    const project = study({ mine }, {});
    project.write('own.sh', `echo '{"spent":{"usd":2.5}}'; while :; do sleep 0.05; done`);
    const { code, stdout } = await project.run('exec', '--reporter', 'plain');
    expect(code).toBe(1);
    expect(stdout).toContain('reached its cap: it has cost more than 2 USD');
    expect(project.journal().filter(({ type }) => type === 'spend-recorded')).toMatchObject([
      { usd: 2.5, source: 'reported' },
    ]);
  });
});
