import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliEnd, configYaml, ended, Project } from '../support/project.js';
import { until } from '../support/until.js';

const key = 'sk-planted-0123456789-abcdefghij';
const other = 'hunter2-"quoted"-hunter2';
const planted = {
  ANTHROPIC_API_KEY: key,
  MY_SECRET: other,
  WANDB_PROJECT: 'mine',
  HTTPS_PROXY: 'http://u:pass-word@p:1',
};

const run = (project: Project, args: readonly string[], env: Record<string, string> = planted): Promise<CliEnd> =>
  ended(project.start(args, env));

const formsOf = (value: string): string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  Buffer.from(value).toString('base64'),
];

/** Which files below the project hold one of the values, in any form. */
function leaks(project: Project, values = [key, other]): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (tellsAny(readFileSync(path, 'latin1'), values)) found.push(relative(project.dir, path));
    }
  };
  walk(project.dir);
  return found;
}

const tellsAny = (text: string, values = [key, other]): boolean =>
  values.flatMap(formsOf).some((form) => text.includes(form));

/** Everything that the program says about what it did. */
async function allSaid(project: Project): Promise<string> {
  const commands = [
    ['status'],
    ['status', '--json'],
    ['logs'],
    ['plan', '-v'],
    ['plan', '--json'],
    ['runs'],
    ['config', '--json'],
    ['exec', '--new', '--json'],
    ['exec', '--new', '--reporter', 'plain'],
    ['status'],
  ];
  let said = '';
  for (const command of commands) {
    const { stdout, stderr } = await run(project, command);
    said += stdout + stderr;
  }
  return said;
}

describe('the environment of commands', () => {
  it.each(['warden', 'direct'])('is what is harmless, and what is named (%s)', async (runner) => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, with: { run: 'env > a.txt' }, outputs: [a.txt] }
b: { uses: command, passEnv: [WANDB_*], with: { run: 'env > b.txt' }, outputs: [b.txt] }`,
      ),
    });
    const env = { ...planted, TZ: 'UTC', CUDA_VISIBLE_DEVICES: '0', AUTORESEARCH_RUNNER: runner, EDITOR: 'vi' };
    expect(await run(project, ['exec'], env)).toMatchObject({ code: 0 });
    const names = (file: string): string[] =>
      project
        .read(file)
        .match(/^\w+(?==)/gm)!
        .filter((name) => name !== '_');
    const ordinary = ['CUDA_VISIBLE_DEVICES', 'HOME', 'LANG', 'PATH', 'PWD', 'TZ', 'XDG_STATE_HOME'];
    const own = ['ATTEMPT', 'ROOT', 'RUN', 'RUNNER', 'TASK', 'WARDEN'].map((name) => `AUTORESEARCH_${name}`);
    const shells = ['SHLVL', 'OLDPWD'];
    const seen = (file: string): string[] =>
      names(file)
        .filter((name) => !shells.includes(name))
        .sort();
    expect(seen('a.txt')).toEqual([...ordinary, ...own].sort());
    expect(seen('b.txt')).toEqual([...ordinary, ...own, 'WANDB_PROJECT'].sort());
  });

  it('of a command that mends is that of its stage, that of a notification what all stages get', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, passEnv: [MY_SECRET], with: { run: 'test -e mended' }, retry: { attempts: 2, fix: { run: 'test "$MY_SECRET" = "$(cat want)" && test -n "$WANDB_PROJECT" && touch mended; echo "$MY_SECRET"' } } }`,
        `name: study
passEnv: [WANDB_*]
notify: [{ on: [run-finished], run: 'test -z "$MY_SECRET" && test "$WANDB_PROJECT" = mine && touch told' }]`,
      ),
      want: 'not-here',
    });
    const env = { ...planted, MY_SECRET: 'not-here' };
    expect(await run(project, ['exec'], env)).toMatchObject({ code: 0 });
    expect(project.exists('told')).toBe(true);
    expect(leaks(project, ['not-here'])).toEqual(['want']);
  });

  it('makes a task stale when other variables are passed, not when their values change', async () => {
    const config = (pass: string): string =>
      configYaml(`a: { uses: command, passEnv: ${pass}, with: { run: 'echo x > out' }, outputs: [out] }`);
    const project = new Project({ 'autoresearch.config.yaml': config('[MY_SECRET]') });
    await run(project, ['exec']);
    const plan = async (env: Record<string, string>): Promise<string> => (await run(project, ['plan'], env)).stdout;
    expect(await plan({ ...planted, MY_SECRET: 'another-value' })).toContain('cached');
    project.write('autoresearch.config.yaml', config('[MY_SECRET, WANDB_*]'));
    expect(await plan(planted)).toMatch(/passEnv changed \["MY_SECRET"\] →\s+\["MY_SECRET","WANDB_\*"\]/);
  });
});

describe('AR316: a variable that is to be passed on and is not set', () => {
  const stages = `a: { uses: command, passEnv: [MY_SECRET, NOT_*], with: { run: 'touch ran' } }`;

  it('is a notice in plan, and nothing runs', async () => {
    const project = new Project({ 'autoresearch.config.yaml': configYaml(stages, 'name: study\npassEnv: [NOWHERE]') });
    const plan = await run(project, ['plan'], {});
    expect(plan.code).toBe(0);
    expect(plan.stdout + plan.stderr).toContain('AR316');
    const { code, stderr } = await run(project, ['exec'], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(/yaml:2:11.* AR316 the variable NOWHERE is to be passed on, but is not set/);
    expect(stderr).toMatch(/yaml:4:\d+.* AR316 the variable MY_SECRET/);
    expect(project.exists('ran') || project.exists('.autoresearch/default/runs')).toBe(false);
    expect((await run(project, ['exec'], { NOWHERE: '', MY_SECRET: other })).code).toBe(0);
  });
});

describe('AR317: a secret in a config', () => {
  it.each([
    ['under env', `a: { uses: command, env: { API_KEY: abc }, with: { run: 'true' } }`, 'API_KEY looks like a secret'],
    ['pasted', `a: { uses: command, with: { run: 'curl -H ${key} x' } }`, 'the value of ANTHROPIC_API_KEY stands here'],
  ])('%s', async (_name, stages, words) => {
    const project = new Project({ 'autoresearch.config.yaml': configYaml(stages) });
    for (const command of ['plan', 'exec']) {
      const { code, stderr } = await run(project, [command]);
      expect(code).toBe(2);
      expect(stderr).toContain(`AR317 ${words}`);
      expect(tellsAny(stderr) || stderr.includes('abc')).toBe(false);
    }
    expect(project.exists('.autoresearch')).toBe(false);
  });

  it('read by a config that is a program, which is not shown either', async () => {
    const project = new Project({
      'autoresearch.config.ts': `export default { name: 'study', vars: { key: process.env.MY_SECRET }, stages: { a: { uses: 'command', with: { run: 'echo {{vars.key}}' } } } };\n`,
    });
    const { code, stdout, stderr } = await run(project, ['exec']);
    expect(code).toBe(2);
    expect(stderr).toContain('AR317');
    expect(tellsAny(stdout + stderr)).toBe(false);
  });

  it('beside another mistake is not shown in the line of that', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(`a: { uses: command, tiemout: 5m, with: { run: 'curl -H ${key} x' } }`),
    });
    const { code, stderr } = await run(project, ['plan']);
    expect({ code, words: stderr.includes('unknown key "tiemout"'), tells: tellsAny(stderr) }).toEqual({
      code: 2,
      words: true,
      tells: false,
    });
  });

  it.each([[[]], [['--json']], [['--origin']], [['--origin', '--json']]])(
    'config %j shows its name instead',
    async (options) => {
      const project = new Project({
        'autoresearch.config.yaml': configYaml(`a: { uses: command, with: { run: 'curl -H ${key} x' } }`),
      });
      const { code, stdout } = await run(project, ['config', ...options]);
      expect({ code, tells: tellsAny(stdout) }).toEqual({ code: 0, tells: false });
      expect(stdout).toContain('curl -H [secret ANTHROPIC_API_KEY] x');
    },
  );

  it('not a switch or a number, nor the path of a key', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml(
        `a: { uses: command, env: { USE_AUTH: 'false', MAX_TOKEN: '4096', NO_KEY: '' }, with: { run: 'cat /etc/ssl/some-key.pem; true' } }`,
      ),
    });
    expect((await run(project, ['exec'], { SSL_KEY: '/etc/ssl/some-key.pem' })).code).toBe(0);
  });
});

describe('the value of a secret that a stage gets', () => {
  const talkative = `
k=$ANTHROPIC_API_KEY
test "$MY_SECRET" = '${other.replaceAll('"', '\\"')}' || true
env; echo "$k"; echo "$MY_SECRET" >&2
printf %s "$k" | base64 -w0; echo; printf %s "me:$k" | base64; env | base64
node -e 'const k = process.env.ANTHROPIC_API_KEY, s = process.env.MY_SECRET;
console.log(JSON.stringify({ k, s }), encodeURIComponent(s));
process.stdout.write("x".repeat(200 * 1024 - 7) + k + "y".repeat(62 * 1024 - 20) + s + "z".repeat(9) + "\\n")'
`;
  const config = (end: string, head = ''): string =>
    JSON.stringify({
      name: 'study',
      ...(head === '' ? {} : JSON.parse(head)),
      stages: {
        a: {
          uses: 'command',
          passEnv: ['ANTHROPIC_API_KEY', 'MY_*'],
          with: { run: `${talkative}${end}` },
          retry: { attempts: 2, fix: { run: 'echo "$AUTORESEARCH_ERROR" > told; env' } },
        },
      },
    });

  it('is nowhere when it passed', async () => {
    const project = new Project({ 'autoresearch.config.json': config('exit 0') });
    const { code, stdout, stderr } = await run(project, ['exec', '--json']);
    expect({ code, told: tellsAny(stdout + stderr) }).toEqual({ code: 0, told: false });
    expect(leaks(project)).toEqual([]);
    const log = readFileSync(join(project.dir, logOf(project)), 'utf8');
    expect(log).toContain('ANTHROPIC_API_KEY=[secret ANTHROPIC_API_KEY]\n');
    expect(log).toMatch(/x{99}\[secret ANTHROPIC_API_KEY\]y{99,}\[secret MY_SECRET\]z{9}\n/);
    expect(tellsAny(await allSaid(project))).toBe(false);
    expect(leaks(project)).toEqual([]);
  });

  it('is nowhere when it failed with it on its lips', async () => {
    const notify = { on: ['task-failed', 'run-finished'], run: 'cat >> events; env; echo {{event.summary}} >> events' };
    const head = JSON.stringify({ notify: [notify], passEnv: ['MY_SECRET'] });
    const end = 'echo "Error: login with $k and $MY_SECRET refused" >&2; exit 3';
    const project = new Project({ 'autoresearch.config.json': config(end, head) });
    const { code, stdout, stderr } = await run(project, ['exec', '--reporter', 'plain']);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('login with [secret ANTHROPIC_API_KEY] and [secret MY_SECRET] refused');
    expect(project.read('told')).toContain('[secret MY_SECRET]');
    expect(project.read('logs/errors.log')).toContain('[secret ANTHROPIC_API_KEY]');
    expect(project.exists('events')).toBe(true);
    expect(tellsAny(stdout + stderr)).toBe(false);
    expect(leaks(project)).toEqual([]);
    expect(tellsAny(await allSaid(project))).toBe(false);
    expect(leaks(project)).toEqual([]);
  });

  it('is nowhere when a behaviour of ours reads, logs and throws it', async () => {
    const project = new Project({
      'autoresearch.config.yaml': configYaml('a: { uses: ./leaky.mjs }'),
      'leaky.mjs': `export default { name: 'leaky', summary: 'leaks', version: '1', options: { type: 'object' }, describe: () => ({ summary: 'leaks' }),
  async run(_options, context) { context.log('I know ' + process.env.MY_SECRET); throw new Error('oh ' + process.env.ANTHROPIC_API_KEY); } };\n`,
    });
    const { code, stdout, stderr } = await run(project, ['exec', '--json']);
    expect(code).toBe(1);
    expect(stdout).toContain('oh [secret ANTHROPIC_API_KEY]');
    expect(tellsAny(stdout + stderr)).toBe(false);
    expect(leaks(project)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('is nowhere after %s, once the run has gone on', async (signal) => {
    const wait = 'test -e go && exit 0; touch waiting; sleep 60';
    const project = new Project({ 'autoresearch.config.json': config(wait) });
    const child = project.start(['exec'], planted);
    const end = ended(child);
    await until(() => project.exists('waiting'));
    expect(leaks(project)).toEqual([]);
    child.kill(signal);
    await end;
    expect(leaks(project)).toEqual([]);
    project.write('go', '');
    expect((await run(project, ['exec'])).code).toBe(0);
    expect(leaks(project)).toEqual([]);
  });
});

/** Prints what it knows in halves and as a whole, and waits in between for a word of the test. */
const talker = `process.stdin.resume();
const fs = require('node:fs');
const { MY_SECRET: value } = process.env;
const half = value.slice(0, 11);
fs.writeSync(1, 'begun ' + value + '\\n' + half);
fs.writeSync(2, 'on the other stream: ' + value + '\\n');
const wait = setInterval(() => {
  if (!fs.existsSync('go')) return;
  clearInterval(wait);
  fs.writeFileSync('made', 'x');
  fs.writeSync(1, value.slice(11) + '\\n' + JSON.stringify({ outcome: 'done', summary: 'knows ' + value }) + '\\n');
  process.exit(0);
}, 20);
`;

describe('while whoever knows a secret still runs', () => {
  const studies = {
    'a command': `a: { uses: command, passEnv: [MY_SECRET], with: { run: 'node talker.cjs' } }`,
    'an agent': `a: { uses: agent, agent: coder, with: { kind: implement, instructions: Look }, outputs: [made] }`,
    'a job of this machine': `a: { uses: job, on: box, passEnv: [MY_SECRET], with: { run: 'node talker.cjs' } }`,
  };
  const head = `name: study
clusters: { box: { type: local, slots: 1, poll: 50ms } }
agents: { coder: { backend: command, family: other, run: 'node talker.cjs', passEnv: [MY_SECRET] } }`;
  const make = (stages: string): Project => {
    const used = /agent: coder/.test(stages) ? /^clusters.*\n/m : /uses: job/.test(stages) ? /\nagents.*/ : /\n.*/gs;
    return new Project({
      'autoresearch.config.yaml': configYaml(stages, head.replace(used, '')),
      'talker.cjs': talker,
    });
  };
  const filesOf = (project: Project, name: RegExp): string[] =>
    (readdirSync(join(project.dir, '.autoresearch'), { recursive: true }) as string[])
      .filter((path) => name.test(path))
      .map((path) => project.read(`.autoresearch/${path}`));
  const hasBegun = (project: Project): boolean =>
    project.exists('.autoresearch') &&
    filesOf(project, /stdout\.log$/).some((text) => text.includes('begun')) &&
    filesOf(project, /stderr\.log$/).some((text) => text.includes('stream'));

  it.each(Object.entries(studies))('%s: no file has its value, and it is seen at once', async (who, stages) => {
    const project = make(stages);
    const end = ended(project.start(['exec'], planted));
    await until(() => hasBegun(project));
    expect(leaks(project)).toEqual([]);
    // Half of it is held back until it is known what follows.
    const shown = filesOf(project, /stdout\.log$/).join('');
    expect(shown).toContain('begun [secret MY_SECRET]\n');
    expect(shown).not.toContain(other.slice(0, 11));
    // What an agent prints stands in the folder of the call.
    if (who !== 'an agent') expect((await run(project, ['logs', 'a'])).stdout).toContain('begun [secret MY_SECRET]');
    project.write('go', '');
    expect(await end).toMatchObject({ code: 0 });
    expect(filesOf(project, /stdout\.log$/).join('')).toContain('begun [secret MY_SECRET]\n[secret MY_SECRET]\n');
    expect(leaks(project)).toEqual([]);
    expect(tellsAny(await allSaid(project))).toBe(false);
  });

  it.each(Object.entries(studies))('%s: a runner that is killed loses and leaks nothing', async (_who, stages) => {
    const project = make(stages);
    const child = project.start(['exec'], planted);
    const end = ended(child);
    await until(() => hasBegun(project));
    child.kill('SIGKILL');
    await end;
    expect(leaks(project)).toEqual([]);
    // What was only half said is not known to be harmless.
    await until(
      () =>
        !/job/.test(_who) ||
        !filesOf(project, /stdout\.log$/)
          .join('')
          .includes('hunter2'),
    );
    expect(leaks(project, [other.slice(0, 11)]).filter((file) => !/talker/.test(file))).toEqual([]);
    project.write('go', '');
    expect(await run(project, ['exec'])).toMatchObject({ code: 0 });
    expect(leaks(project)).toEqual([]);
  });
});

function logOf(project: Project): string {
  const runs = '.autoresearch/default/runs';
  const [newest] = readdirSync(join(project.dir, runs)).sort();
  return `${runs}/${newest}/tasks/a/1/stdout.log`;
}

describe('a secret of a few letters', () => {
  it('is in no log where its name stands beside it, and ordinary text is as it was', async () => {
    const project = new Project({
      'autoresearch.config.yaml': `name: study
secrets: [LAB_PIN]
passEnv: [LAB_PIN, DB_PASS]
stages:
  print:
    uses: command
    with:
      run: |
        env | grep -E '^(LAB_PIN|DB_PASS)='
        printf '{"LAB_PIN": "%s", "url": "postgres://me:%s@db"}\\n' "$LAB_PIN" "$DB_PASS"
        echo "step 7391 of 7391 in /qroot/study, qroot is not the user"
        echo "cannot log in with DB_PASS=$DB_PASS" >&2
        exit 3
`,
    });
    const env = { LAB_PIN: '7391', DB_PASS: 'qroot' };
    const { code, stdout } = await run(project, ['exec', '--reporter', 'plain'], env);
    expect(code).toBe(1);
    expect(stdout).toContain('cannot log in with DB_PASS=[secret DB_PASS]');
    const log = await run(project, ['logs', 'print'], env);
    expect(log.stdout).toContain('LAB_PIN=[secret LAB_PIN]\n');
    expect(log.stdout).toContain('{"LAB_PIN": "[secret LAB_PIN]", "url": "postgres://me:[secret DB_PASS]@db"}');
    expect(log.stdout).toContain('step 7391 of 7391 in /qroot/study, qroot is not the user');
    expect(leaks(project, ['LAB_PIN=7391', 'DB_PASS=qroot', '"7391"', ':qroot@'])).toEqual([]);
  });
});
