import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seal } from '../../src/journal/chain.js';
import { LoopProject } from '../support/loop-project.js';
import { ended } from '../support/project.js';
import { until } from '../support/until.js';

const plain = ['exec', '--reporter', 'plain'] as const;

const edit = {
  uses: 'agent',
  agent: 'coder',
  with: { instructions: 'Number {{iteration.number}}.', verify: 'true' },
  scope: ['value.txt'],
};
const agents = { coder: { backend: 'command', run: 'sh coder.sh' } };
const done = `echo '{"outcome":"done","summary":"tried"}'`;

describe('an agent that broke the rules begins anew', () => {
  it('when the loop goes on after exit 4: what it had written in its scope is put back, and on a branch', async () => {
    // What it wrote violates only when it is run; the second time it looks at what the first one left.
    const mark = '"$HOME/../i9-$(basename "$HOME")"';
    const project = new LoopProject([], {
      head: { agents, protect: ['rules.txt'] },
      iterate: { max: 1 },
      stages: { edit },
      files: {
        'rules.txt': 'hard\n',
        'train.sh': `echo x >> ran; if grep -q evil value.txt; then echo easy > rules.txt; fi; echo "loss=$(head -n 1 value.txt)" > log.txt\n`,
        'coder.sh': `cat > /dev/null\nif test -e ${mark}; then echo "0.$(wc -l < value.txt | tr -d ' ')" > value.txt; else touch ${mark}; printf '0.2\\nevil\\n\\n' > value.txt; fi\n${done}\n`,
      },
    });
    const first = await project.run(...plain);
    expect(first.code).toBe(4);
    expect([project.read('value.txt'), project.read('rules.txt'), project.git('status', '--porcelain')]).toEqual([
      '1.0\n',
      'hard\n',
      '',
    ]);
    expect(project.git('show', 'auto/default-iter-1-1-broken-off:value.txt')).toContain('0.2');
    const second = await project.run(...plain);
    expect([second.code, second.stderr]).toEqual([0, '']);
    // One line, which is what is committed: nothing of the first try was there.
    expect(project.rows()[1]).toMatchObject({ value: 0.1, verdict: 'kept' });
  });

  it('when the config says that it may try again', async () => {
    const project = new LoopProject([], {
      head: { agents, onViolation: 'retry' },
      iterate: { max: 1 },
      stages: { edit: { ...edit, retry: { attempts: 2 } } },
      files: {
        'coder.sh': `cat > /dev/null\nif test -e "$HOME/../i9-$(basename "$HOME")"; then echo "0.$(wc -l < value.txt | tr -d ' ')" > value.txt; else touch "$HOME/../i9-$(basename "$HOME")"; printf '0.2\\n\\n\\n\\n' > value.txt; echo x > elsewhere.txt; fi\n${done}\n`,
      },
    });
    const { code, stdout, stderr } = await project.run(...plain);
    expect([code, stderr], stdout).toEqual([0, '']);
    expect(project.exists('elsewhere.txt')).toBe(false);
    expect(project.rows()[1]).toMatchObject({ value: 0.1, verdict: 'kept' });
  });
});

describe('who is there besides', () => {
  it('what an experiment leaves running is ended before anything else begins', async () => {
    const stages = {
      train: {
        uses: 'command',
        needs: ['edit'],
        // Waits until the next task has begun, and then writes over what it says.
        with: {
          run: `sh train.sh; setsid sh -c 'echo $$ > pid; while :; do test ! -e evaluating || grep -q 0.0001 log.txt || echo loss=0.0001 > log.txt; sleep 0.02; done' > /dev/null 2>&1 < /dev/null & while ! test -s pid; do :; done`,
        },
        inputs: ['value.txt'],
        outputs: ['pid', 'ran'],
      },
      evaluate: {
        uses: 'command',
        needs: ['train'],
        with: {
          run: 'echo x > evaluating; echo "loss=$(cat value.txt)" > log.txt; if grep -q "^State:.*[RSD] " "/proc/$(cat pid)/status" 2> /dev/null; then while ! grep -q 0.0001 log.txt; do sleep 0.02; done; fi',
        },
        inputs: ['value.txt', 'pid'],
        outputs: ['log.txt', 'evaluating'],
      },
    };
    const project = new LoopProject(['0.9'], {
      iterate: { max: 1 },
      stages,
      files: {
        'train.sh': 'rm -f evaluating log.txt pid; echo x >> ran\n',
        '.gitignore': '.autoresearch/\nlog.txt\nresult.json\nran\nlogs/\niterations/\ninsights.md\npid\nevaluating\n',
      },
    });
    const { code, stdout } = await project.run(...plain);
    expect([code, project.rows().map(({ value }) => value)], stdout).toEqual([0, [1, 0.9]]);
  });

  it('two agent ids do not loop in one checkout at the same time: exit 6, and who holds it', async () => {
    const stages = {
      train: {
        uses: 'command',
        needs: ['edit'],
        with: {
          run: 'sh train.sh; echo x > begun; while test "$(cat value.txt)" = 1.0 && ! test -e go; do sleep 0.05; done',
        },
        inputs: ['value.txt'],
        outputs: ['log.txt', 'ran', 'begun'],
      },
    };
    const project = new LoopProject(['0.9'], { stages, iterate: { max: 1 } });
    const child = project.start([...plain]);
    const end = ended(child);
    await until(() => project.exists('begun') || child.exitCode !== null);
    const other = await project.run(...plain, '--agent-id', 'other');
    expect([other.code, other.stderr]).toEqual([
      6,
      expect.stringContaining(`run of the loop loop (agent id default), process ${child.pid} on `),
    ]);
    expect(project.exists('.autoresearch/other/iterations.jsonl')).toBe(false);
    project.write('go', '');
    expect((await end).code).toBe(0);
  });
});

describe('a record that somebody wrote in', () => {
  const forge = (project: LoopProject): void => {
    const last = project.records().at(-1) as { seq: number; hash: string };
    const event = { type: 'iterations-finished', because: 'until', detail: 'forged' };
    const { line } = seal(event, { seq: last.seq + 1, at: new Date(0).toISOString(), prev: last.hash });
    appendFileSync(project.recordFile, line);
  };

  it('stays refused until a person begins anew, although its hashes are right', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    expect((await project.run(...plain)).code).toBe(0);
    forge(project);
    for (let time = 0; time < 2; time += 1) {
      const { code, stderr } = await project.run(...plain);
      expect([code, stderr]).toEqual([4, expect.stringContaining('somebody else has written behind it')]);
    }
    expect((await project.run('verify')).code).toBe(4);
    expect((await project.run(...plain, '--new')).code).toBe(0);
    expect((await project.run(...plain)).code).toBe(0);
  });

  it('also while the loop was at work', async () => {
    const script = `const { appendFileSync, readFileSync } = require('node:fs');
const { createHash } = require('node:crypto');
const file = '.autoresearch/default/iterations.jsonl';
const last = JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\\n').at(-1));
const body = JSON.stringify({ seq: last.seq + 1, at: last.at, type: 'iteration-measured', number: 1, repeat: 1, run: 'x', value: 0, usd: 0, unpricedCalls: 0, workedMs: 0, prev: last.hash }).slice(0, -1);
appendFileSync(file, body + ',"hash":"' + createHash('sha256').update(body + '}').digest('hex') + '"}\\n');
`;
    const project = new LoopProject(['0.9'], {
      iterate: { max: 1 },
      files: { 'forge.cjs': script },
      stages: {
        edit: {
          uses: 'command',
          with: { run: 'sh edit.sh {{iteration.number}}; node forge.cjs' },
          outputs: ['value.txt'],
        },
      },
    });
    expect((await project.run(...plain)).code).toBe(4);
    for (let time = 0; time < 2; time += 1) {
      const { code, stderr } = await project.run(...plain);
      expect([code, stderr]).toEqual([4, expect.stringContaining('it was written to or cut by something else')]);
    }
    expect((await project.run('verify')).code).toBe(4);
  });

  it('one that cannot be read any more is kept aside when a person begins anew', async () => {
    const project = new LoopProject(['0.9'], { iterate: { max: 1 } });
    expect((await project.run(...plain)).code).toBe(0);
    const text = readFileSync(project.recordFile, 'utf8');
    writeFileSync(project.recordFile, text.replace('"value":0.9', '"value":0.1'));
    expect((await project.run(...plain)).code).toBe(4);
    expect((await project.run(...plain)).code).toBe(4);
    const anew = await project.run(...plain, '--new');
    expect([anew.code, anew.stderr]).toEqual([0, expect.stringMatching(/It is kept as \S+iterations\.jsonl\.\S+\n/)]);
    expect(project.records()[0]).toMatchObject({ type: 'series-started', series: 2 });
  });
});
