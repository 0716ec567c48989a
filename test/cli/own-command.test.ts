import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSaid, typedCommands } from '../../src/cli/line/typed-commands.js';
import { ownCommand } from '../../src/cli/own-command.js';
import { configYaml, ended, Project } from '../support/project.js';

const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');
const usual = '/usr/bin:/bin';

/** A folder in which the package is installed, as npm does it. */
function installed(files: Readonly<Record<string, string>> = {}): Project {
  const project = new Project(files);
  mkdirSync(join(project.dir, 'node_modules/.bin'), { recursive: true });
  symlinkSync(bin, join(project.dir, 'node_modules/.bin/autoresearch'));
  return project;
}

function onPath(project: Project): string {
  project.write('global/autoresearch', '#!/bin/sh\n');
  chmodSync(join(project.dir, 'global/autoresearch'), 0o755);
  return `${join(project.dir, 'global')}:${usual}`;
}

describe('how the program is to be typed', () => {
  const own = (project: Project, env: NodeJS.ProcessEnv, { cwd = project.dir, script = bin } = {}): string =>
    ownCommand({ env, cwd, script });

  it('by npx beside an installed package, also below it, also when npm put its folder on the PATH', () => {
    const project = installed({ 'below/deep/file': '' });
    const cwd = join(project.dir, 'below/deep');
    expect(own(project, { PATH: usual })).toBe('npx autoresearch');
    expect(own(project, { PATH: usual }, { cwd })).toBe('npx autoresearch');
    const PATH = `${join(project.dir, 'node_modules/.bin')}:${usual}`;
    expect(own(project, { PATH, npm_command: 'exec' }, { cwd })).toBe('npx autoresearch');
    expect(own(project, { PATH, npm_command: 'run-script' })).toBe('npx autoresearch');
    // Whoever has that folder on the PATH of the shell may leave npx out.
    expect(own(project, { PATH })).toBe('autoresearch');
  });

  it('by its name where it is on the PATH, also when another npm is above', () => {
    const project = new Project();
    const PATH = onPath(project);
    expect(own(project, { PATH })).toBe('autoresearch');
    expect(own(project, { PATH, npm_command: 'exec' })).toBe('autoresearch');
  });

  it('by npx in a clone, and by npx with what it fetched', () => {
    const project = new Project();
    const script = join(project.dir, 'dist/bin.cjs');
    expect(own(project, { PATH: usual }, { script })).toBe('npx autoresearch');
    expect(own(project, { PATH: usual, npm_command: 'exec' })).toBe('npx autoresearch');
    const npm_config_package = './my lab.tgz';
    expect(own(project, { PATH: usual, npm_command: 'exec', npm_config_package })).toBe(
      `npx --package './my lab.tgz' autoresearch`,
    );
  });

  it('by Node where nothing else finds it; a folder of that name and an empty PATH are nothing', () => {
    const project = new Project({ 'global/autoresearch/file': '' });
    expect(own(project, { PATH: `${join(project.dir, 'global')}::` })).toBe(`node ${bin}`);
    expect(own(project, {})).toBe(`node ${bin}`);
    const script = join(project.dir, 'a b/bin.cjs');
    expect(own(project, { PATH: usual }, { script })).toBe(`node 'a b/bin.cjs'`);
  });
});

describe('commands in words', () => {
  const typed = typedCommands(() => 'npx autoresearch');

  it.each([
    ['Next: autoresearch exec', 'Next: npx autoresearch exec'],
    ['\u001b[36mautoresearch exec\u001b[39m', '\u001b[36mnpx autoresearch exec\u001b[39m'],
    ['(autoresearch cost)', '(npx autoresearch cost)'],
    ['`autoresearch presets list` shows', '`npx autoresearch presets list` shows'],
    ['autoresearch exec; autoresearch cost', 'npx autoresearch exec; npx autoresearch cost'],
    ['go on: autoresearch status.', 'go on: npx autoresearch status.'],
  ])('%j', (text, said) => {
    expect(typed(text)).toBe(said);
  });

  it.each([
    'npx autoresearch exec',
    'npx --no -- autoresearch plan',
    'autoresearch was ended from inside',
    'autoresearch run 2-abcd',
    'autoresearch planned.md',
    'autoresearch plan.json',
    './autoresearch exec',
    'my-autoresearch exec',
    '  │ it printed: autoresearch exec',
    '  \u001b[2m│\u001b[22m autoresearch exec',
    '12 | run: autoresearch exec',
  ])('%j stays', (text) => {
    expect(typed(text)).toBe(text);
  });

  it('only where a person reads', () => {
    const line = (command: string, flags: string[] = [], values: Record<string, string[]> = {}) => ({
      ...{ command, flags: new Set(flags), values: new Map(Object.entries(values)) },
    });
    expect([line('plan'), line('exec'), line('explain'), line('doctor')].map(isSaid)).toEqual([true, true, true, true]);
    const data = [
      ...[line('plan', ['json']), line('plan', [], { graph: ['dot'] }), line('exec', [], { reporter: ['json'] })],
      ...['completion', 'config', 'export', 'logs', 'render', 'report', 'schema'].map((command) => line(command)),
    ];
    expect(data.map(isSaid)).toEqual(data.map(() => false));
  });
});

describe('a study beside its package', () => {
  const run = (project: Project, ...args: string[]) => ended(project.start(args, { PATH: usual }));
  const study = configYaml('a: { uses: command, with: { run: "echo autoresearch exec; exit 3" } }');

  it('is told what works there, and sees what was printed as it was', async () => {
    const project = installed({ 'autoresearch.config.yaml': study });
    const plan = await run(project, 'plan');
    expect(plan.stdout).toMatch(/\nNext: {7}npx autoresearch exec\n$/);
    const exec = await run(project, 'exec', '--reporter', 'plain');
    expect(exec.code).toBe(1);
    expect(exec.stdout).toContain('  │ autoresearch exec\n');
    expect(exec.stdout).toContain('npx autoresearch logs a');
    expect(exec.stdout).not.toMatch(/(?<!npx |│ )autoresearch (exec|logs|plan|status)/);
    expect((await run(project, 'logs', 'a')).stdout).toContain('autoresearch exec\n');
    expect((await run(project, 'logs', 'a')).stdout).not.toContain('npx autoresearch exec\n');
    expect((await run(project, 'pln')).stderr).toContain('Run npx autoresearch explain AR601 for more.');
  });

  it('what is told does work', async () => {
    const project = installed({ 'autoresearch.config.yaml': study.replace('exit 3', 'true') });
    const { stdout } = await run(project, 'plan');
    const next = /Next: +(.*)\n/.exec(stdout)![1]!;
    const env = { PATH: process.env.PATH!, HOME: project.dir, XDG_STATE_HOME: project.stateHome };
    const told = execFileSync('sh', ['-c', next.replace('npx', 'npx --offline --no --')], {
      ...{ cwd: project.dir, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    expect(told).toContain('1 passed');
    // The records do not know how anybody typed anything.
    writeFileSync(join(project.dir, 'x'), JSON.stringify(project.journal()));
    expect(project.read('x')).not.toContain('npx');
  });
});
