import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { kindOfArgument, kindOfOption, type NameKind } from '../../src/cli/completion/name-kind.js';
import { offersFor } from '../../src/cli/completion/offers.js';
import { commands, globalOptions } from '../../src/cli/line/commands.js';
import { Project } from '../support/project.js';

const names = async (kind: NameKind) => [{ value: `a-${kind}` }, { value: `b-${kind}` }];

async function offered(...words: string[]): Promise<readonly string[]> {
  const { offers, paths } = await offersFor(words, names);
  return [...offers.map(({ value }) => value), ...(paths === undefined ? [] : [`:${paths}`])];
}

describe('what fits', () => {
  it.each<[string[], string[]]>([
    [
      ['exec', '--only', ''],
      ['a-stages', 'b-stages'],
    ],
    [
      ['exec', '--only', 'a-stages', ''],
      ['a-stages', 'b-stages'],
    ],
    [['exec', '--only', 'a-stages,'], ['a-stages,b-stages']],
    [
      ['exec', '--reporter='],
      ['--reporter=tree', '--reporter=plain', '--reporter=json', '--reporter=silent'],
    ],
    [['exec', '--jobs', ''], []],
    [
      ['--cwd', 'exec', 'approve', ''],
      ['a-stages', 'b-stages'],
    ],
    [
      ['why', ''],
      ['a-tasks', 'b-tasks'],
    ],
    [
      ['logs', '-f', ''],
      ['a-tasks', 'b-tasks'],
    ],
    [
      ['status', '--run', ''],
      ['a-runs', 'b-runs'],
    ],
    [
      ['plan', '--agent-id', ''],
      ['a-agent-ids', 'b-agent-ids'],
    ],
    [
      ['plan', '--set', ''],
      ['a-variables', 'b-variables'],
    ],
    [
      ['init', '--preset', ''],
      ['a-presets', 'b-presets'],
    ],
    [['init', ''], [':folders']],
    [['plan', '--out', ''], [':files']],
    [
      ['stages', 'show', ''],
      ['a-behaviours', 'b-behaviours'],
    ],
    [
      ['stages', ''],
      ['list', 'show'],
    ],
    [
      ['explain', ''],
      ['a-codes', 'b-codes'],
    ],
    [
      ['schema', ''],
      ['a-schemas', 'b-schemas'],
    ],
    [['no-such-command', ''], []],
    [['no-such-command', '--only', ''], []],
  ])('after %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('every command with its summary, and before it the options of all', async () => {
    const { offers } = await offersFor([''], names);
    expect(offers).toEqual(Object.entries(commands).map(([value, { summary }]) => ({ value, about: summary })));
    expect(await offered('-')).toEqual(Object.keys(globalOptions).map((name) => `--${name}`));
  });

  it.each(Object.entries(commands))('every option of %s, but none twice', async (name, { options }) => {
    const all = await offered(name, '--');
    expect(all).toEqual([...Object.keys(globalOptions), ...Object.keys(options)].map((option) => `--${option}`));
    expect(await offered(name, '--no-color', '--')).toEqual(all.filter((option) => option !== '--no-color'));
  });

  it('every word of the table that stands for a name has names, or is free', () => {
    const free = new Set(['FILE', 'DIR', 'N', 'TEXT', 'DURATION', 'URL', 'FORM', 'NAME', 'WORD']);
    for (const [command, { args, options }] of Object.entries(commands)) {
      for (const [name, option] of Object.entries({ ...options, ...globalOptions }))
        if (option.value !== undefined && !free.has(option.value))
          expect(kindOfOption(name, option), `--${name} of ${command}`).toBeDefined();
      for (const arg of args) {
        const words = arg.replace(/^\[|…?\]$|…$/g, '').split('|');
        const isFree = words.every((word) => /^[a-z]+$/.test(word) || ['DIR', 'FILE', 'WORD'].includes(word));
        if (!isFree) expect(kindOfArgument(command, words), `${arg} of ${command}`).toBeDefined();
      }
    }
  });
});

const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');

/** A study, a shell script of ours, and the program on the PATH as an install would put it there. */
async function room(shell: string) {
  const stages =
    'stages:\n  train:\n    uses: command\n    matrix: { arm: [one, two] }\n    with: { run: "echo {{vars.steps}}" }\n';
  const project = new Project({ 'autoresearch.config.yaml': `name: study\nvars: { steps: 5 }\n${stages}` });
  const folder = join(project.stateHome, 'bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'autoresearch'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`);
  chmodSync(join(folder, 'autoresearch'), 0o755);
  const { code, stdout } = await project.run('completion', shell);
  expect(code).toBe(0);
  const script = join(project.stateHome, `completion.${shell}`);
  writeFileSync(script, stdout);
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: project.stateHome, LANG: 'C.UTF-8' };
  const ask = async (program: string, args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, [...args], { cwd: project.dir, env })).stdout.trimEnd();
  return { script, ask };
}

/** One line for each thing that the shells have to get right by themselves. */
const lines: readonly (readonly [line: string, after: string])[] = [
  ['autoresearch expo', 'export'],
  ['autoresearch plan --gra', '--graph'],
  ['autoresearch exec --only tr', 'train'],
  ['autoresearch why train:arm=t', 'train:arm=two'],
];

describe('in a real shell', () => {
  it('bash', async () => {
    const { script, ask } = await room('bash');
    const program =
      'source "$0"; for line; do COMP_LINE=$line COMP_POINT=${#line}; _autoresearch; echo "${COMPREPLY[@]}"; done';
    const more = ['autoresearch plan --set st', 'autoresearch plan --config auto'];
    const said = await ask('bash', ['-c', program, script, ...lines.map(([line]) => line), ...more]);
    // Of a word with : or = bash replaces only the part after it.
    const rest = lines.map(([, after]) => after.replace(/^.*[:=]/, ''));
    expect(said.split('\n')).toEqual([...rest, 'steps=', 'autoresearch.config.yaml']);
  });

  it.skipIf(!has('zsh'))('zsh', { timeout: 60_000 }, async () => {
    const { script, ask } = await room('zsh');
    const driver = resolve(import.meta.dirname, '../support/complete.zsh');
    const done = await Promise.all(lines.map(([line]) => ask('zsh', ['-f', driver, script, line])));
    expect(done.map((line) => line.split(' ').at(-1))).toEqual(lines.map(([, after]) => after));
    expect(await ask('zsh', ['-f', driver, script, 'autoresearch plan --set st'])).toBe(
      'autoresearch plan --set steps=',
    );
  });

  it.skipIf(!has('fish'))('fish', { timeout: 60_000 }, async () => {
    const { script, ask } = await room('fish');
    const program = `source ${script}; ${lines.map(([line]) => `complete -C '${line}'`).join('; ')}`;
    const said = await ask('fish', ['--no-config', '-c', program]);
    expect(said.split('\n').map((line) => line.split('\t')[0])).toEqual(lines.map(([, after]) => after));
  });
});

describe('the command', () => {
  const write = '    hint: Write: autoresearch completion bash, zsh or fish\n';
  it.each([
    [['tcsh'], 'command line (tcsh) AR604 there are completions for bash, zsh and fish, not for "tcsh"\n'],
    [['bash', 'zsh'], `command line (zsh) AR604 completion does not take "zsh"\n${write}`],
    [[], `command line (completion) AR603 completion needs a shell\n${write}`],
    [
      ['zhs'],
      'command line (zhs) AR604 there are completions for bash, zsh and fish, not for "zhs"\n    hint: Did you mean "zsh"?\n',
    ],
  ])('refuses %j', async (words, message) => {
    const { code, stdout, stderr } = await new Project().run('completion', ...words);
    expect(stderr).toBe(`${message}\n1 problem. Run autoresearch explain ${/AR\d+/.exec(message)![0]} for more.\n`);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('offers nothing, quietly, where there is no config', async () => {
    const end = await new Project().run('completion', '--offer', '--', 'exec', '--only', '');
    expect(end).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('looks at the study that the line names', async () => {
    const config = 'name: other\nstages:\n  elsewhere: { uses: command, with: { run: "true" } }\n';
    const project = new Project({ 'sub/autoresearch.config.yaml': config });
    const end = await project.run('completion', '--offer', '--', '--cwd', 'sub', 'exec', '--only', '');
    expect(end).toEqual({ code: 0, stdout: 'elsewhere\tcommand\n', stderr: '' });
  });
});
