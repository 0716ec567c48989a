import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, Project } from '../support/project.js';

/** What an attacker has got past once. Each is done for real by a script that is asked as an agent. */
interface Sketch {
  readonly stage?: object;
  readonly agent?: object;
  readonly stages?: object;
}

function studyOf(agent: string, { stage, agent: own, stages }: Sketch = {}): Project {
  const config = {
    name: 'study',
    agents: { a: { backend: 'command', run: './agent.sh', limits: { timeout: '120s', usd: 1 }, ...own } },
    stages: {
      s: {
        uses: 'agent',
        agent: 'a',
        with: { instructions: 'do it', verify: 'true' },
        scope: ['src/**'],
        retry: { attempts: 2 },
        ...stage,
      },
      ...stages,
    },
  };
  const project = new Project({ 'autoresearch.config.json': JSON.stringify(config), 'protected.txt': 'orig\n' });
  project.write('src/keep', '');
  project.write('agent.sh', `#!/bin/sh\n${agent}\n`);
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  return project;
}

const done = `echo '{"outcome":"done","summary":"ok"}'`;
const here = '$(dirname "$AUTORESEARCH_PROMPT_FILE")';
const exec = (project: Project, ...args: string[]) => project.run('exec', '--reporter', 'plain', ...args);

const filesBelow = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const failures = (project: Project): unknown[] =>
  project.journal().flatMap(({ type, task, failure }) => (type === 'task-failed' ? [[task, failure]] : []));

describe('two at work in one tree', () => {
  // The first look finds it and puts it back; the look after whoever did it finds nothing any more.
  const waits = (until: string): string => `for i in $(seq 600); do ${until} && break; sleep 0.05; done`;
  const quick = (run: string): object => ({ quick: { uses: 'command', with: { run } } });

  it('who changed what is protected is not accepted because somebody else was looked at first', async () => {
    const project = studyOf(
      `echo bad > protected.txt; ${waits('grep -q orig protected.txt')}; echo work > src/out; ${done}`,
      { stages: quick(waits('grep -q bad protected.txt')) },
    );
    const config = JSON.parse(readFileSync(join(project.dir, 'autoresearch.config.json'), 'utf8'));
    project.write('autoresearch.config.json', JSON.stringify({ ...config, protect: ['protected.txt'] }));
    const { code } = await exec(project, '--jobs', '2');
    expect(code).toBe(4);
    expect(failures(project)).toEqual([
      ['quick', expect.objectContaining({ code: 'protect-violated', files: ['protected.txt'], beside: ['s'] })],
      ['s', expect.objectContaining({ code: 'protect-violated', agent: 'a', beside: ['quick'] })],
    ]);
    expect(project.read('protected.txt')).toBe('orig\n');
  });

  it('nor who wrote outside of a scope that another agent was held to', async () => {
    const project = studyOf(
      `case $AUTORESEARCH_TASK in s) echo bad > other.txt; ${waits('[ ! -e other.txt ]')}; echo work > src/out;; *) ${waits('[ -e other.txt ]')}; echo b > src/b;; esac; ${done}`,
      {
        stages: {
          b: { uses: 'agent', agent: 'a', with: { instructions: 'b', verify: 'true' }, scope: ['src/b'] },
        },
      },
    );
    const { code } = await exec(project, '--jobs', '2');
    expect(code).toBe(4);
    expect(failures(project)).toEqual([
      ['b', expect.objectContaining({ code: 'scope-violated', files: ['other.txt'], beside: ['s'] })],
      ['s', expect.objectContaining({ code: 'scope-violated', files: ['other.txt'], beside: ['b'] })],
    ]);
  });
});

describe('an agent that writes outside of its scope', () => {
  it('does not get away with a reply that nobody can write down', async () => {
    const deep = `node -e 'const n=300000;process.stdout.write("{\\"outcome\\":\\"done\\",\\"summary\\":\\"ok\\",\\"x\\":"+"[".repeat(n)+"]".repeat(n)+"}\\n")'`;
    const project = studyOf(
      `echo x >> src/a; [ -e src/once ] && { ${done}; exit; }; touch src/once; echo HACK > protected.txt; ${deep}`,
    );
    expect(await exec(project)).toMatchObject({ code: 4 });
  });

  it.each([
    ['taking its log away', `rm ${here}/stdout.log; rm -rf ${here}`],
    ['a folder in the place of its reply', `mkdir ${here}/reply.json`],
  ])('nor with %s', async (_, trick) => {
    const project = studyOf(
      `[ -e src/once ] && { echo x >> src/a; ${done}; exit; }; touch src/once; echo HACK > protected.txt; ${done}; ${trick}`,
    );
    expect(await exec(project)).toMatchObject({ code: 4 });
  });

  it('leaves nobody behind who does it later', async () => {
    const later = "setsid sh -c 'sleep 1; echo LATE > protected.txt' >/dev/null 2>&1 &";
    const stages = {
      later: {
        uses: 'command',
        needs: ['s'],
        with: { run: 'sleep 1.5; cat protected.txt > out.txt' },
        outputs: ['out.txt'],
      },
    };
    const project = studyOf(`echo x >> src/a; ${later} sleep 0.3; ${done}`, { stages });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(project.read('out.txt')).toBe('orig\n');
  });

  it('nor does what it wrote, when it is run as a test', async () => {
    const project = studyOf(`echo 'echo HACK > protected.txt' > src/test.sh; ${done}`, {
      stage: { with: { instructions: 'x', verify: 'sh src/test.sh' } },
    });
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('agent a changed protected.txt, which it may not');
    expect(code).toBe(4);
  });

  it('in a folder that is called like a cache', async () => {
    expect(await exec(studyOf(`mkdir lib.pyc; echo x > lib.pyc/code.py; echo x >> src/a; ${done}`))).toMatchObject({
      code: 4,
    });
    expect(
      await exec(studyOf(`mkdir cassettes; echo '{}' > cassettes/x.json; echo x >> src/a; ${done}`)),
    ).toMatchObject({ code: 4 });
  });
});

describe('an agent that hides in a folder that is called like one of ours', () => {
  const hides = (path: string): string => `mkdir -p $(dirname ${path}); echo HACK > ${path}`;

  it.each([
    ['the state of the study, deeper in the project', 'lib/.autoresearch/x', ''],
    ['a repository, with a hook', 'vendor/.git/hooks/post-checkout', ''],
    ['a pointer to a repository elsewhere', 'vendor/.git', ''],
    ['a repository that is there already', 'vendor/.git/hooks/post-checkout', 'git init -q vendor'],
    ['a repository where there was none', '.git/hooks/post-checkout', ''],
  ])('%s: found, put back, exit code 4', async (_, path, before) => {
    const project = studyOf(`echo x >> src/a; ${hides(path)}; ${done}`);
    if (before !== '') execFileSync('sh', ['-c', before], { cwd: project.dir });
    const { code, stdout } = await exec(project);
    expect(stdout).toContain(`agent a changed ${path}, which it may not; it was put back`);
    expect(code).toBe(4);
    expect(existsSync(join(project.dir, path))).toBe(false);
  });

  it('a change of what stands there is undone to the byte', async () => {
    const project = studyOf(`echo x >> src/a; echo HACK >> vendor/.git/config; rm vendor/.git/HEAD; ${done}`);
    execFileSync('git', ['init', '-q', 'vendor'], { cwd: project.dir });
    const config = project.read('vendor/.git/config');
    const head = project.read('vendor/.git/HEAD');
    const { code, stdout } = await exec(project);
    expect(stdout).toContain(
      'agent a changed vendor/.git/HEAD and vendor/.git/config, which it may not; it was put back',
    );
    expect(code).toBe(4);
    expect([project.read('vendor/.git/config'), project.read('vendor/.git/HEAD')]).toEqual([config, head]);
  });

  it.each(['lib/.autoresearch/conftest.py', 'vendor/.git/conftest.py'])(
    'a file that must not appear, without a scope: %s',
    async (path) => {
      const project = studyOf(`echo x >> src/a; ${hides(path)}; ${done}`, { stage: { scope: undefined } });
      const config = JSON.parse(project.read('autoresearch.config.json'));
      project.write('autoresearch.config.json', JSON.stringify({ ...config, protect: ['**/conftest.py'] }));
      const { code, stdout } = await exec(project);
      expect(stdout).toContain(path);
      expect(code).toBe(4);
      expect(existsSync(join(project.dir, path))).toBe(false);
    },
  );

  it('but its commits in a repository of its scope, and in the one of the study, are its work', async () => {
    const who = '-c user.name=x -c user.email=x@y.z';
    const commit = (folder: string): string => `git -C ${folder} add -A; git -C ${folder} ${who} commit -qm m`;
    const project = studyOf(`echo x >> src/a; echo y > src/own/b; ${commit('src/own')}; ${commit('.')}; ${done}`);
    execFileSync(
      'sh',
      ['-c', 'mkdir -p src/own; git init -q src/own; git init -q .; echo .autoresearch > .gitignore'],
      {
        cwd: project.dir,
      },
    );
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});

describe('an agent that edits the config', () => {
  const takeGate = `sed -i 's/,"gate":"human"//' autoresearch.config.json`;
  const gated = { scope: undefined, gate: 'human', outputs: ['src/a'] };

  it.each<[string, string, object]>([
    ['itself, where it may write anything', `echo x > src/a; ${takeGate}; ${done}`, gated],
    ['itself, where its scope takes it in', `echo x > src/a; ${takeGate}; ${done}`, { ...gated, scope: ['**'] }],
    [
      'by what is run as a test',
      `echo x > src/a; echo "${takeGate.replaceAll('"', '\\"')}" > src/test.sh; ${done}`,
      { ...gated, with: { instructions: 'x', verify: 'sh src/test.sh' } },
    ],
  ])('%s has violated the run, and the config is as it was', async (_, agent, stage) => {
    const project = studyOf(agent, { stage });
    const config = project.read('autoresearch.config.json');
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('agent a changed autoresearch.config.json, which it may not');
    expect(code).toBe(4);
    expect(project.read('autoresearch.config.json')).toBe(config);
    expect(JSON.parse(config).stages.s.gate).toBe('human');
  });
});

describe('a command that edits what the study is', () => {
  // Written by an agent, run by a stage that has none.
  const byCommand = (run: string, more: object = {}): Project => {
    const s = { uses: 'command', with: { run }, outputs: ['out.txt'], ...more };
    const after = { uses: 'command', needs: ['s'], with: { run: 'true' } };
    return new Project({ 'autoresearch.config.json': JSON.stringify({ name: 'study', stages: { s, after } }) });
  };
  const edit = `sed -i 's/"study"/"other"/' autoresearch.config.json`;

  it('is told at once and at the end, and exit code 4; nothing is lost, and the next exec goes by what is there then', async () => {
    const project = byCommand(`echo x > out.txt; ${edit}`);
    const before = project.read('autoresearch.config.json');
    const { code, stdout } = await exec(project);
    const what =
      'autoresearch.config.json was changed while s ran, by what it runs or by you; nothing was put back, and this run goes by what it said before';
    expect(stdout).toContain(`⚠ ${what}\n✓ s`);
    expect(stdout).toContain(`\n✗ ${what}\n  → Compare with what it was: `);
    expect(stdout).toContain('study was violated');
    expect(code).toBe(4);
    const [event] = project.journal().filter(({ type }) => type === 'study-changed');
    expect(event).toMatchObject({ task: 's', attempt: 1, files: ['autoresearch.config.json'] });
    expect(readFileSync(join(String(event!.evidence), 'before/autoresearch.config.json'), 'utf8')).toBe(before);
    expect(project.journal().filter(({ type }) => type === 'task-finished')).toHaveLength(2);
    const again = await exec(project);
    expect(again.stdout).toContain('other passed');
    expect(again.code).toBe(0);
  });

  it('also when the attempt fails, and only once for each change', async () => {
    const project = byCommand(`${edit}; echo x > out.txt; [ -e once ] || { touch once; exit 3; }`, {
      retry: { attempts: 2 },
    });
    expect(await exec(project)).toMatchObject({ code: 4 });
    const told = project.journal().flatMap(({ type, attempt }) => (type === 'study-changed' ? [attempt] : []));
    expect(told).toEqual([1]);
  });

  it.each([
    ['a preset of the project', 'mine.yaml', 'stages: {}\n'],
    ['a schema that its outputs are judged by', 'out.schema.json', '{"type":"object"}\n'],
  ])('%s counts as well', async (_, file, text) => {
    const project = byCommand(`echo '{}' > out.txt; echo ' ' >> ${file}`, { schema: { 'out.txt': 'out.schema.json' } });
    project.write('out.schema.json', '{"type":"object"}\n');
    project.write(file, text);
    const config = JSON.parse(project.read('autoresearch.config.json'));
    if (file === 'mine.yaml')
      project.write('autoresearch.config.json', JSON.stringify({ ...config, extends: ['./mine.yaml'] }));
    const { code, stdout } = await exec(project);
    expect(stdout).toContain(`${file} was changed while s ran`);
    expect(code).toBe(4);
  });

  it('but a file that a stage makes is its own, and so is one that is written again as it was', async () => {
    const schema = { 'out.txt': 'made.schema.json' };
    const run = `echo '{}' > out.txt; echo '{"type":"object"}' > made.schema.json; cp autoresearch.config.json c; cp c autoresearch.config.json`;
    const project = byCommand(run, { outputs: ['out.txt', 'made.schema.json'], schema });
    project.write('made.schema.json', '{}\n');
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});

describe('an agent that wants the runner to hang', () => {
  it.each([
    ['a pipe in the place of its reply', `mkfifo ${here}/reply.json; ${done}`],
    ['a pipe in the place of its log', `rm ${here}/stdout.log; mkfifo ${here}/stdout.log`],
    ['pipes beside the logs of the attempt', `mkfifo ${here}/../reply.json ${here}/../prompt.md; ${done}`],
    [
      'a pipe in the place of the log of the attempt',
      `rm -f ${here}/../stdout.log; mkfifo ${here}/../stdout.log; ${done}`,
    ],
    [
      'pipes where the next call goes',
      `mkdir -p ${here}/../author-2; mkfifo ${here}/../author-2/prompt.md ${here}/../author-2/stdout.log; echo nonsense`,
    ],
    [
      'pipes where the next attempt goes',
      `mkdir -p ${here}/../../2; mkfifo ${here}/../../2/stdout.log ${here}/../../2/stderr.log; exit 1`,
    ],
  ])('by %s does not succeed', async (_, trick) => {
    const project = studyOf(`echo x >> src/a; ${trick}`);
    const { code } = await exec(project);
    expect([0, 1]).toContain(code);
  });

  it('nor does it spoil the next attempt, or the next call', async () => {
    const plant = (folder: string): string =>
      `mkdir -p ${folder}; mkfifo ${folder}/stdout.log ${folder}/stderr.log ${folder}/prompt.md`;
    const first = `touch src/once; ${plant(`${here}/../../2`)}; ${plant(`${here}/../author-2`)}; echo nonsense`;
    const project = studyOf(
      `echo x >> src/a; [ -e src/once ] || { ${first}; exit; }; [ -e src/twice ] || { touch src/twice; exit 1; }; ${done}`,
    );
    expect(await exec(project)).toMatchObject({ code: 0 });
  });
});

describe('an agent that has done nothing', () => {
  it('does not pass by touching what was there', async () => {
    const project = studyOf(`touch src/out.txt; ${done}`, {
      stage: { outputs: ['src/out.txt'], retry: { attempts: 1 } },
    });
    project.write('src/out.txt', 'stale\n');
    const { code, stdout } = await exec(project);
    expect(code).toBe(1);
    expect(stdout).toContain('what is there is from before');
  });

  it.each([
    ['the same bytes, at every try', 'echo stale > src/out.txt', 3],
    [
      'to it by touching, after a try that failed of something else',
      'touch src/out.txt; [ -e src/once ] || { touch src/once; exit 3; }',
      2,
    ],
    [
      'it anew after it was taken away',
      'if [ -e src/out.txt ]; then rm src/out.txt; else echo stale > src/out.txt; fi',
      2,
    ],
  ])('nor by writing %s', async (_, trick, attempts) => {
    const project = studyOf(`${trick}; ${done}`, { stage: { outputs: ['src/out.txt'], retry: { attempts } } });
    project.write('src/out.txt', 'stale\n');
    const { code, stdout } = await exec(project);
    expect(stdout).toContain('what is there is from before');
    expect(code).toBe(1);
    // Another process has no other rule.
    if (attempts === 3) expect(await exec(project)).toMatchObject({ code: 1 });
  });

  it('but who has written it at one try, and at the next comes to the same, has', async () => {
    const project = studyOf(`echo work > src/out.txt; [ -e src/once ] || { touch src/once; exit 3; }; ${done}`, {
      stage: { outputs: ['src/out.txt'], retry: { attempts: 2 } },
    });
    project.write('src/out.txt', 'stale\n');
    expect(await exec(project)).toMatchObject({ code: 0 });
  });

  it('but whoever does the same work again has done it', async () => {
    const project = studyOf(`echo same > src/out.txt; ${done}`, {
      stage: { outputs: ['src/out.txt'], retry: { attempts: 1 } },
    });
    expect(await exec(project)).toMatchObject({ code: 0 });
    expect(await exec(project, '--force', 's')).toMatchObject({ code: 0 });
  });

  it('nor by what another task writes meanwhile', async () => {
    const other = { uses: 'command', with: { run: 'sleep 0.4; echo hi > other.txt' }, outputs: ['other.txt'] };
    const project = studyOf(`sleep 1; ${done}`, {
      stages: { other },
      stage: { scope: undefined, retry: { attempts: 1 } },
    });
    const { code, stdout } = await exec(project, '--jobs', '2');
    expect(code).toBe(1);
    expect(stdout).toContain('no file has changed');
  });
});

describe('a secret', () => {
  const secret = 'sk9Zq-PLANTEDsecret-77';
  const agent = { passEnv: ['MY_API_KEY'] };
  const run = async (project: Project) => ended(project.start(['exec', '--reporter', 'plain'], { MY_API_KEY: secret }));

  it.each([
    ['the name of a file outside of the scope', 'echo x > "$MY_API_KEY"'],
    ['the name of a file inside of it', 'echo x > "src/$MY_API_KEY"'],
    [
      'the files of a reply',
      `echo '{"outcome":"escalate","reason":"scope","summary":"x","files":["a/'"$MY_API_KEY"'"]}'; exit`,
    ],
  ])('in %s is told to nobody', async (_, trick) => {
    const project = studyOf(`${trick}; ${done}`, { agent });
    const { stdout, stderr } = await run(project);
    expect(stdout + stderr).not.toContain(secret);
    expect((await project.run('status')).stdout).not.toContain(secret);
    for (const file of filesBelow(join(project.dir, '.autoresearch')))
      expect(readFileSync(file, 'latin1').includes(secret), file).toBe(false);
  });

  it('written as programs write it is told to nobody either: logs, prompts, replies, journal, recordings, reports', async () => {
    const hex = Buffer.from(secret).toString('hex');
    const forms = {
      escaped: [...secret].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
      percent: hex.replace(/../g, '%$&'),
      hex,
      large: hex.toUpperCase(),
      slashed: hex.replace(/../g, '\\x$&'),
      base64: Buffer.from(secret).toString('base64'),
    };
    // The first try fails with all of them on its lips, so that the second one is told.
    const says = (outcome: string): string =>
      JSON.stringify({ outcome, summary: Object.values(forms).join(' '), notes: Object.values(forms).join('\n') });
    const project = studyOf(
      'cat > /dev/null; cat forms; cat forms >&2; date +%N > src/a; cat "reply-$AUTORESEARCH_ATTEMPT"',
      {
        agent,
        stage: { retry: { attempts: 2, backoff: '0s' } },
      },
    );
    project.write('forms', `${Object.values(forms).join('\n')}\n`);
    project.write('reply-1', `${says('failed')}\n`);
    project.write('reply-2', `${says('done')}\n`);
    const env = { MY_API_KEY: secret };
    const { code, stdout, stderr } = await ended(project.start(['exec', '--reporter', 'plain', '--record'], env));
    expect(code).toBe(0);
    await ended(project.start(['report'], env));
    const texts = new Map(
      ['.autoresearch', 'cassettes', 'logs']
        .flatMap((dir) => filesBelow(join(project.dir, dir)))
        .map((file) => [file, readFileSync(file, 'latin1')]),
    );
    texts.set('what people saw', stdout + stderr);
    for (const [where, text] of texts)
      for (const form of Object.values(forms)) {
        expect(text.includes(form), `${form} in ${where}`).toBe(false);
        expect(text.includes(JSON.stringify(form).slice(1, -1)), `${form} in ${where}`).toBe(false);
      }
  });
});

describe('the ledger', () => {
  it.each([
    ['what a call cost', 1],
    ['a call', 2],
  ])('from which %s was taken is exit code 4', async (_, lines) => {
    const project = studyOf(`echo x >> src/a; echo '{"outcome":"done","summary":"ok","usd":7}'`);
    expect(await exec(project)).toMatchObject({ code: 0 });
    const ledger = project.read('.autoresearch/default/ledger.jsonl').trimEnd().split('\n');
    project.write('.autoresearch/default/ledger.jsonl', `${ledger.slice(0, -lines).join('\n')}\n`);
    const { code, stdout } = await exec(project, '--force', 's');
    expect(stdout).toContain('the ledger was changed by something else');
    expect(code).toBe(4);
  });
});
