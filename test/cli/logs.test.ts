import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const yaml = (text: string): Project => new Project({ 'autoresearch.config.yaml': `name: study\n${text}` });

/** Fails until it is mended; each attempt says which one it is. */
const stage = (fix: string): string => `
stages:
  a:
    uses: command
    with: { run: 'echo x >> tries; echo "out $(wc -l < tries)"; test -e mended || { echo "ValueError: bad" >&2; exit 3; }' }
    retry: { attempts: 3, fix: ${fix} }
  b: { uses: command, matrix: { n: [1, 2] }, with: { run: 'echo b' } }`;

const byCommand = stage(`{ run: 'echo mending; echo careful >&2; test -e once && touch mended; touch once' }`);

const agentRun = JSON.stringify(
  `cat > /dev/null; touch mended; echo '${JSON.stringify({ outcome: 'done', summary: 'made it' })}'`,
);
const byAgent = `agents: { coder: { backend: command, run: ${agentRun} } }${stage('coder')}`;

describe('logs of a task that was tried more than once', () => {
  it('the newest attempt alone on the output, and beside it what else there is', async () => {
    const project = yaml(byCommand);
    expect((await project.run('exec')).code).toBe(0);
    expect(await project.run('logs', 'a')).toEqual({
      code: 0,
      stdout: 'out 3\n',
      stderr: `
This is attempt 3. The one before: autoresearch logs a --attempt 2
Calls of agents, and what mended:
  autoresearch logs a --attempt 1 --fix fix
  autoresearch logs a --attempt 2 --fix fix
`,
    });
    expect((await project.run('logs', 'a', '--quiet')).stderr).toBe('');
  });

  it('any attempt', async () => {
    const project = yaml(byCommand);
    await project.run('exec');
    expect(await project.run('logs', 'a', '--attempt', '1', '--agent-id', 'default')).toEqual({
      code: 0,
      stdout: 'out 1\nValueError: bad\n',
      stderr: '\nCalls of agents, and what mended:\n  autoresearch logs a --attempt 1 --fix fix --agent-id default\n',
    });
    expect((await project.run('logs', 'a', '--attempt', '3')).stdout).toBe('out 3\n');
  });

  it('what the command that mends said', async () => {
    const project = yaml(byCommand);
    await project.run('exec');
    const said = { code: 0, stdout: '── stdout.log\nmending\n── stderr.log\ncareful\n', stderr: '' };
    expect(await project.run('logs', 'a', '--fix', 'fix')).toEqual(said);
    expect(await project.run('logs', 'a', '--attempt', '1', '--fix', 'fix')).toEqual(said);
  });

  it('what an agent was asked and answered', async () => {
    const project = yaml(byAgent);
    expect((await project.run('exec')).code).toBe(0);
    expect((await project.run('logs', 'a')).stderr).toContain('\n  autoresearch logs a --attempt 1 --fix fixer-1\n');
    const { stdout } = await project.run('logs', 'a', '--fix', 'fixer-1');
    expect(stdout).toMatch(/^── prompt\.md\n[\s\S]*ValueError: bad[\s\S]*\n── stdout\.log\n[\s\S]*\n── reply\.json\n/);
    expect(stdout).toContain('"summary": "made it"');
  });

  it('of a cached task, in the run that did the work', async () => {
    const project = yaml(byCommand);
    await project.run('exec');
    expect((await project.run('exec', '--new', '--force', 'b')).code).toBe(0);
    expect((await project.run('logs', 'a', '--attempt', '2')).stdout).toBe('out 2\nValueError: bad\n');
    expect((await project.run('logs', 'a', '--attempt', '2', '--fix', 'fix')).stdout).toContain('mending\n');
  });
});

describe('logs refuses what is not there', () => {
  it.each([
    [['a', '--attempt', '4'], 'a has attempts 1 to 3, not 4'],
    [['a', '--attempt', '0'], 'a has attempts 1 to 3, not 0'],
    [['a', '--attempt', '1e0'], 'a has attempts 1 to 3, not 1e0'],
    [['a', '--attempt', '../1'], 'a has attempts 1 to 3, not ../1'],
    [['a', '--attempt', '3', '--fix', 'fix'], 'there is no fix "fix" of a, attempt 3'],
    [['a', '--fix', 'fixer-9'], 'there is no fix "fixer-9" of a'],
    [['a', '--fix', '../2'], 'there is no fix "../2" of a'],
    [['a', '--fix', '.'], 'there is no fix "." of a'],
    [['a', '--fix', 'link-1'], 'there is no fix "link-1" of a'],
    [['--attempt', '1'], '--attempt needs the name of one task'],
    [['b', '--fix', 'fix'], '--fix needs the name of one task'],
    [['a', '--follow', '--attempt', '1'], '--follow and --attempt cannot both be meant'],
    [['a', '--follow', '--fix', 'fix'], '--follow and --fix cannot both be meant'],
  ])('%j', async (args, words) => {
    const project = await tried();
    const { code, stdout, stderr } = await project.run('logs', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('a task that was not tried', async () => {
    const project = yaml(`stages:
  a: { uses: command, with: { run: 'exit 1' } }
  c: { uses: command, needs: [a], with: { run: 'true' } }`);
    await project.run('exec');
    const { code, stderr } = await project.run('logs', 'c', '--attempt', '1');
    expect(code).toBe(2);
    expect(stderr).toContain('c has not been tried in this run');
  });
});

let shared: Promise<Project> | undefined;

/** One run for all that only look at it; a link in it leads out of the run. */
function tried(): Promise<Project> {
  shared ??= (async () => {
    const project = yaml(byCommand);
    await project.run('exec');
    const attempt = join(project.dir, '.autoresearch/default/runs', String(project.journal()[0]!.run), 'tasks/a/1');
    mkdirSync(join(project.dir, 'secret'));
    project.write('secret/stdout.log', 'secret\n');
    symlinkSync(join(project.dir, 'secret'), join(attempt, 'link-1'));
    return project;
  })();
  return shared;
}
