import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const config = (text: string): Project => new Project({ 'autoresearch.config.yaml': `name: study\n${text}` });

const types = (project: Project): unknown[] => project.journal().map(({ type }) => type);

/** An agent that is a shell script: it reads its prompt and prints a reply. */
const agent = (script: string): string => JSON.stringify(`cat > prompt.txt; ${script}`);
const reply = (object: object): string => `echo '${JSON.stringify(object)}'`;

const failing = (fix: string, attempts = 3): string => `
stages:
  a:
    uses: command
    with: { run: 'test -e mended || { echo "ValueError: no mended" >&2; exit 3; }; cp mended out' }
    outputs: [out]
    retry: { attempts: ${attempts}, fix: ${fix} }`;

describe('a fix between attempts', () => {
  it('by a command, which is told where the error is', async () => {
    const project = config(
      failing(`{ run: 'grep -c ValueError "$AUTORESEARCH_STDERR" > mended; echo "$AUTORESEARCH_ERROR" >> mended' }`),
    );
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(0);
    expect(project.read('out')).toBe('1\nexited with code 3: ValueError: no mended\n');
    expect(stdout).toMatch(/a {2}fix by grep .*: the command passed/);
  });

  it('by an agent, whose prompt, reply and money are kept', async () => {
    const script = `touch mended; echo ok > mended; ${reply({ outcome: 'done', summary: 'made it', usd: 0.25 })}`;
    const project = config(
      `agents: { coder: { backend: command, run: ${agent(script)}, model: tiny, limits: { usd: 1 } } }\nbudget: { usdPerRun: 2 }${failing('coder')}`,
    );
    const { code, stdout } = await project.run('exec');
    expect({ code, out: stdout.includes('a  fix by coder: made it') }).toEqual({ code: 0, out: true });
    expect(project.read('prompt.txt')).toContain('ValueError: no mended');
    const run = String(project.journal()[0]!.run);
    const call = `.autoresearch/default/runs/${run}/tasks/a/1/fixer-1`;
    expect(JSON.parse(project.read(`${call}/reply.json`))).toEqual({ outcome: 'done', summary: 'made it', usd: 0.25 });
    expect(project.read(`${call}/prompt.md`)).toBe(project.read('prompt.txt'));
    const status = JSON.parse((await project.run('status', '--json')).stdout);
    expect(status.spend).toMatchObject({ usd: 0.25, calls: 1, unpricedCalls: 0 });
    const cost = JSON.parse((await project.run('cost', '--json')).stdout);
    expect(cost.total).toMatchObject({ usd: 0.25, calls: 1 });
    expect(project.read('logs/errors.log')).toContain('ValueError: no mended');
  });

  it('that only claims to have mended does not make the task pass', async () => {
    const project = config(
      `agents: { coder: { backend: command, run: ${agent(reply({ outcome: 'done', summary: 'all fine' }))} } }${failing('coder')}`,
    );
    const { code } = await project.run('exec');
    expect(code).toBe(1);
    expect(types(project).filter((type) => type === 'task-failed')).toHaveLength(3);
  });
});

describe('budgets', () => {
  const spender = `agents: { coder: { backend: command, run: ${agent(reply({ outcome: 'done', summary: 'tried' }))}, limits: { usd: 1 } } }`;

  it('a call that is not covered is not made: exit 5, and a resume does not give the money back', async () => {
    const text = `${spender}\nbudget: { usdPerRun: 1.5 }${failing('coder', 9)}`;
    const project = config(text);
    const first = await project.run('exec');
    expect(first.code).toBe(5);
    expect(first.stdout).toContain('budget.usdPerRun is 1.5 USD, of which 1 USD is spent');
    expect(first.stdout).toContain('\n    a  fixer coder  1 USD in 1 call\n');
    expect(types(project).filter((type) => type === 'agent-invoked')).toHaveLength(1);
    const second = await project.run('exec');
    expect(second.code).toBe(5);
    expect(types(project).filter((type) => type === 'agent-invoked')).toHaveLength(1);
    project.write('autoresearch.config.yaml', `name: study\n${text.replace('1.5', '2.5')}`);
    const third = await project.run('exec');
    expect(third.code).not.toBe(0);
    expect(third.stdout).toContain('\n  changed: budget\n');
    expect(types(project).filter((type) => type === 'agent-invoked')).toHaveLength(2);
  });

  it('an agent that was killed with the runner in mid-call counts as its cap', async () => {
    const project = config(
      `agents: { coder: { backend: command, run: 'touch called; sleep 100', limits: { usd: 1 } } }\nbudget: { usdPerRun: 1.5 }${failing('coder')}`,
    );
    const child = project.start(['exec']);
    await until(() => project.exists('called'));
    child.kill('SIGKILL');
    await ended(child);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(5);
    expect(stdout).toContain('of which 1 USD is spent');
  });

  it('the time of a run: what runs is stopped, exit 5, and what is done is kept', async () => {
    const project = config(`budget: { time: 4s }
stages:
  a: { uses: command, with: { run: 'echo 1 > a' }, outputs: [a] }
  b: { uses: command, needs: [a], with: { run: 'sleep 1000' } }`);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(5);
    expect(stdout).toContain('budget.time is 4.0 s, of which 4.0 s is spent');
    const again = await project.run('exec');
    expect(again.code).toBe(5);
    expect(types(project).filter((type) => type === 'task-started')).toHaveLength(2);
  });
});

describe('escalation', () => {
  it('takes the words of the agent to the person', async () => {
    const script = reply({ outcome: 'escalate', reason: 'design', summary: 'the loss is wrong' });
    const project = config(
      `escalate: [human]\nagents: { coder: { backend: command, run: ${agent(script)} } }${failing('coder')}`,
    );
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(3);
    expect(stdout).toContain('a  fix by coder says that another try cannot help: the loss is wrong\n');
    expect(stdout).toContain('a  coder says: the loss is wrong; a person is asked\n');
    expect(stdout).toContain('\n  asked because: coder says: the loss is wrong\n');
  });

  it('to a person: exit 3, and the next exec tries once more', async () => {
    const project = config(`escalate: [human]${failing("{ run: 'true' }")}`);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(3);
    expect(stdout).toContain('study waits for a person');
    expect(stdout).toContain('when you have mended the cause; what passed is kept');
    const status = JSON.parse((await project.run('status', '--json')).stdout);
    expect(status.outcome).toBe('waiting');
    project.write('mended', 'by hand\n');
    expect((await project.run('exec')).code).toBe(0);
    expect(project.read('out')).toBe('by hand\n');
  });
});

describe('notify', () => {
  it('tells of chosen events, and a notifier that fails changes nothing', async () => {
    const project = config(`vars: { to: "a'b" }
notify:
  - { on: [task-finished, run-finished], run: 'echo {{event.summary}} for {{vars.to}} >> told; cat >> events' }
  - { on: [run-finished], run: 'exit 9' }
stages:
  a: { uses: command, with: { run: 'true' } }`);
    const { code, stdout } = await project.run('exec');
    expect(code).toBe(0);
    const run = String(project.journal()[0]!.run);
    expect(project.read('told').replace(/\d+\.\d s/g, '0.0 s')).toBe(
      `study ${run}: a passed in 0.0 s for a'b\nstudy ${run}: passed after 0.0 s for a'b\n`,
    );
    expect(
      project
        .read('events')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['task-finished', 'run-finished']);
    expect(stdout).toContain('a notification exited with code 9; the run goes on');
  });

  it('with a name that does not exist is refused before anything runs', async () => {
    const project = config(`notify: [{ on: [run-finished], run: 'echo {{event.sumary}}' }]
stages: { a: { uses: command, with: { run: 'true' } } }`);
    const { code, stderr } = await project.run('exec');
    expect(code).toBe(2);
    expect(stderr).toContain('event.sumary');
    expect(stderr).toContain('event.summary');
  });
});
