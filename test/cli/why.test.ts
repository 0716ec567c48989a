import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const agent = (model: string): object => ({
  backend: 'command',
  run: `cat > /dev/null; echo work > y; echo '{"outcome":"done","summary":"done","usd":0}'`,
  model,
});

const configOf = (model: string, instructions: string, scope: readonly string[], exit: number): string =>
  JSON.stringify({
    name: 'study',
    agents: { coder: agent(model) },
    stages: {
      work: { uses: 'agent', agent: 'coder', with: { instructions }, outputs: ['y'], scope },
      test: { uses: 'command', needs: ['work'], with: { run: `exit ${exit}` } },
    },
  });

const file = 'autoresearch.config.json';

describe('why', () => {
  it('names each option that changed, old and new, of the agent and the scope too', async () => {
    const project = new Project({ [file]: configOf('small', 'do', ['y'], 0) });
    expect((await project.run('exec')).code).toBe(0);
    project.write(file, configOf('large', 'do', ['y', 'z'], 0));
    expect((await project.run('why', 'work')).stdout).toBe(
      '▶ work would run:\n    option: agent.model changed "small" → "large"; scope changed ["y"] → ["y","z"]\n',
    );
  });

  it('says what failed in words', async () => {
    const project = new Project({ [file]: configOf('small', 'do', ['y'], 3) });
    expect((await project.run('exec')).code).toBe(1);
    expect((await project.run('why', 'test')).stdout).toBe(
      '▶ test would run:\n    the last attempt failed: exited with code 3\n',
    );
  });

  it('still knows what an option was when the run has gone on by another plan', async () => {
    const project = new Project({ [file]: configOf('small', 'do', ['y'], 3) });
    await project.run('exec');
    project.write(file, configOf('small', 'do more', ['y'], 4));
    expect((await project.run('exec', '--only', 'test')).code).toBe(1);
    project.write(file, configOf('small', 'do most', ['y'], 4));
    expect((await project.run('exec', '--only', 'test')).code).toBe(1);
    expect((await project.run('why', 'work')).stdout).toBe(
      '▶ work would run:\n    option: instructions changed "do" → "do most"\n',
    );
  });

  it('a forged plan chooses no other place for what is kept of it', async () => {
    const project = new Project({ [file]: configOf('small', 'do', ['y'], 3) });
    await project.run('exec');
    const [run] = project.journal().map((entry) => entry.run as string);
    const plan = `.autoresearch/default/runs/${run}/plan.json`;
    project.write(plan, JSON.stringify({ ...JSON.parse(project.read(plan)), digest: '../../../../../hi' }));
    project.write(file, configOf('small', 'do', ['y'], 4));
    const before = Object.keys(project.snapshot()).filter((path) => !path.startsWith('.autoresearch'));
    expect((await project.run('exec')).code).toBe(1);
    expect(Object.keys(project.snapshot()).filter((path) => !path.startsWith('.autoresearch'))).toEqual(before);
  });
});
