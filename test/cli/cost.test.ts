import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileLedger } from '../../src/adapters/ledger/file-ledger.js';
import { systemClock } from '../../src/adapters/system-clock.js';
import { startFakeChat } from '../support/fake-chat.js';
import { Project } from '../support/project.js';

const config = `name: study
agents:
  fixer: { backend: command, run: ./fix, limits: { usd: 2 } }
budget: { usdPerRun: 5, usdPerDay: 10, time: 2h }
stages:
  build:
    uses: command
    with: { run: 'true' }
    retry: { attempts: 2, fix: fixer }
    budget: { calls: 3 }
`;

/** Books and settles as a runner of the agent id would. */
async function spend(project: Project, calls: readonly (number | 'killed')[], agentId = 'default'): Promise<void> {
  const ledger = new FileLedger({ root: project.dir, agentId, clock: systemClock, config: { stages: {} } });
  for (const [index, usd] of calls.entries()) {
    const call = `${agentId}-${index}`;
    const place = { run: `${index + 1}-aaaa`, stage: 'build', task: 'build', role: 'fixer', agent: 'fixer' } as const;
    await ledger.reserve({ ...place, call, capUsd: 2 });
    if (usd !== 'killed') await ledger.settle(call, { usd, wallMs: 1500, tokens: { input: 10, output: 5 } });
  }
  await ledger.close();
}

const json = async (project: Project, ...args: string[]) => {
  const { code, stdout, stderr } = await project.run('cost', '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('cost', () => {
  it('says that nothing was spent, with the ceilings, and writes nothing', async () => {
    const project = new Project({ 'autoresearch.config.yaml': config });
    const before = project.snapshot();
    expect(await project.run('cost')).toEqual({
      code: 0,
      stderr: '',
      stdout: `Nothing has been spent under agent id default yet

ceiling                    limit       spent         left
budget.usdPerRun      5.0000 USD  0.0000 USD   5.0000 USD
budget.usdPerDay     10.0000 USD  0.0000 USD  10.0000 USD
budget.time                  2 h       0.0 s          2 h
build: budget.calls      3 calls     0 calls      3 calls
`,
    });
    expect(project.snapshot()).toEqual(before);
  });

  it('is of one agent id, with the day of all', async () => {
    const project = new Project({ 'autoresearch.config.yaml': config });
    await spend(project, [0.25, 1.5]);
    await spend(project, [3], 'other');
    const before = project.snapshot();
    const all = await json(project);
    expect(all).toMatchObject({
      agentId: 'default',
      run: null,
      total: { usd: 1.75, calls: 2, tokens: 30, wallMs: 3000, assumedUsd: 0 },
      stages: [{ stage: 'build', usd: 1.75 }],
      roles: [{ role: 'fixer', usd: 1.75 }],
      models: [{ model: null, usd: 1.75 }],
      days: [{ usd: 1.75 }],
      today: { agentIds: 2, usd: 4.75 },
    });
    expect(all.ceilings).toContainEqual({
      ceiling: 'budget.usdPerRun',
      stage: null,
      run: '2-aaaa',
      limit: 5,
      spent: 1.5,
      left: 3.5,
    });
    expect(await json(project, '--run', '1')).toMatchObject({ run: '1-aaaa', total: { usd: 0.25 } });
    expect(await json(project, '--agent-id', 'other')).toMatchObject({ total: { usd: 3 }, today: { usd: 4.75 } });
    expect(project.snapshot()).toEqual(before);
    expect((await project.run('cost', '--run', '9')).code).toBe(2);
  });

  it('works while the config has mistakes, and says that ceilings are missing', async () => {
    const project = new Project({ 'autoresearch.config.yaml': config });
    await spend(project, [1]);
    project.write('autoresearch.config.yaml', 'name: study\nstagse: {}\n');
    const { code, stdout } = await project.run('cost');
    expect(code).toBe(0);
    expect(stdout).toContain('1.0000 USD in 1 call, 15 tokens, 1.5 s under agent id default\n');
    expect(stdout).toContain('The ceilings are not shown, because no config can be read: autoresearch plan says why\n');
    expect((await json(project)).ceilings).toBeNull();
  });

  it('a ledger that was tampered with is an integrity failure', async () => {
    const project = new Project({ 'autoresearch.config.yaml': config });
    await spend(project, [1, 'killed']);
    const file = join(project.dir, '.autoresearch/default/ledger.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"usd":1', '"usd":0'));
    const { code, stderr } = await project.run('cost');
    expect(code).toBe(4);
    expect(stderr).toContain('the ledger was changed by something else');
    expect(stderr).toContain('ledger.jsonl:2: the line does not match its hash');
  });
});

describe('budgets in a config', () => {
  it('are refused where they could not be kept', async () => {
    const project = new Project({
      'autoresearch.config.yaml': config
        .replace(', limits: { usd: 2 }', '')
        .replace('usdPerRun: 5', 'usdPerRun: 5, gpuHours: 1'),
    });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('AR310');
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('refuse GPU-hours with words of their own', async () => {
    const project = new Project({ 'autoresearch.config.yaml': config.replace('usdPerRun: 5', 'gpuHours: 1') });
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('budget.gpuHours has no effect: no stage asks for GPUs on a cluster');
  });

  it('a price in a preset may be left over, one in your own file may not', async () => {
    const prices = 'prices: { m: { input: 1, output: 2 } }\n';
    const own = new Project({ 'autoresearch.config.yaml': config + prices });
    expect((await own.run('plan')).stderr).toContain('AR311');
    const preset = new Project({
      'autoresearch.config.yaml': config.replace('name: study\n', 'name: study\nextends: [./base.yaml]\n'),
      'base.yaml': prices,
    });
    expect(await preset.run('plan')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('money that is worked out from tokens', () => {
  it('of an api is recorded as priced, not as reported', async () => {
    const chat = await startFakeChat();
    try {
      chat.script([
        {
          calls: [['write_file', { path: 'a.txt', content: 'x' }]],
          usage: { prompt_tokens: 1000, completion_tokens: 500 },
        },
        {
          calls: [['finish', { outcome: 'done', summary: 'ok' }]],
          usage: { prompt_tokens: 1000, completion_tokens: 500 },
        },
      ]);
      const project = new Project({
        'autoresearch.config.json': JSON.stringify({
          name: 'study',
          agents: { coder: { backend: 'api', baseUrl: chat.baseUrl, model: 'tiny', family: 'x', limits: { usd: 1 } } },
          prices: { tiny: { input: 10, output: 20 } },
          stages: { write: { uses: 'agent', agent: 'coder', with: { instructions: 'write' }, outputs: ['a.txt'] } },
        }),
      });
      expect(await project.run('exec')).toMatchObject({ code: 0 });
      const spent = project.journal().filter(({ type }) => type === 'spend-recorded');
      expect(spent).toMatchObject([{ usd: 0.04, source: 'priced', tokens: 3000 }]);
    } finally {
      await chat.close();
    }
  });
});

describe('the model of a call', () => {
  const answered = (model: string): string =>
    [
      { type: 'system', subtype: 'init', session_id: 's', model },
      {
        ...{ type: 'result', subtype: 'success', is_error: false, num_turns: 1, session_id: 's', total_cost_usd: 0.1 },
        ...{ result: '{"outcome":"done","summary":"ok"}', usage: { input_tokens: 1, output_tokens: 1 } },
      },
    ]
      .map((line) => `echo '${JSON.stringify(line)}'`)
      .join('\n');
  const study = (named: string): Project => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
agents: { coder: { backend: claude, path: ./claude${named}, limits: { usd: 1 } } }
stages:
  write: { uses: agent, agent: coder, with: { instructions: write }, outputs: [a.txt] }
`,
    });
    writeFileSync(join(project.dir, 'claude'), `#!/bin/sh\ncat > a.txt\n${answered('claude-told-4')}\n`, {
      mode: 0o755,
    });
    return project;
  };

  it.each([
    ['is the one that the config names', ', model: opus', 'opus'],
    ['is the one that claude says has answered, where the config names none', '', 'claude-told-4'],
  ])('%s', async (_name, named, model) => {
    const project = study(named);
    expect((await project.run('exec')).code).toBe(0);
    expect((await json(project)).models).toMatchObject([{ model, usd: 0.1 }]);
    const { stdout } = await project.run('cost');
    expect(stdout).toContain(model);
    expect(stdout).not.toContain('no model named');
    expect((await project.run('report')).code).toBe(0);
    const files = Object.values(project.snapshot()).join('');
    expect(files).not.toContain('no model named');
  });
});
