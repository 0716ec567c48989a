// Runs a built program as people do, and keeps beside its files what V8 compiled on the way. See src/cli/code-cache.ts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const stage = (run, more) => ({ uses: 'command', with: { run }, ...more });
// The same as `study`, as a person writes it.
const yaml = `# A comment.
name: study
vars:
  seeds: [1, 2]
stages:
  make:
    uses: command
    matrix: { seed: '{{vars.seeds}}' }
    with: { run: "echo {{matrix.seed}} > out-{{matrix.seed}}.txt" }
    outputs:
      - out-{{matrix.seed}}.txt
  join:
    uses: command
    with:
      run: |
        cat out-*.txt > all.txt
    inputs: ['out-*.txt']
    outputs: [all.txt]
`;
const study = {
  name: 'study',
  vars: { seeds: [1, 2] },
  stages: {
    make: stage('echo {{matrix.seed}} > out-{{matrix.seed}}.txt', {
      matrix: { seed: '{{vars.seeds}}' },
      outputs: ['out-{{matrix.seed}}.txt'],
    }),
    join: stage('cat out-*.txt > all.txt', { inputs: ['out-*.txt'], outputs: ['all.txt'] }),
  },
};

/** The forms that people write most. */
const configs = [
  ['autoresearch.config.json', JSON.stringify(study)],
  ['autoresearch.config.yaml', yaml],
  [
    'autoresearch.config.ts',
    `import { defineConfig } from 'autoresearch';\nexport default defineConfig(${JSON.stringify(study)});\n`,
  ],
];

/** What is compiled in one of these is compiled for all that follow, so the files know more with each. */
const commands = [
  ['plan'],
  ['exec', '--reporter', 'plain'],
  ['exec'],
  ['exec', '--new', '--reporter', 'silent'],
  ['plan', '--json'],
  ['exec', '--dry-run'],
  ['status'],
  ['runs'],
  ['why', 'join'],
  ['verify'],
];

/** What most studies with agents use: a scope, something protected, a worktree, a gate. */
const agents = {
  name: 'study',
  agents: { coder: { backend: 'command', run: 'sh coder.sh' } },
  protect: ['eval.txt'],
  stages: {
    beside: {
      uses: 'agent',
      agent: 'coder',
      with: { instructions: 'Write a.txt.', verify: 'test -e a.txt' },
      outputs: ['a.txt'],
      isolation: 'worktree',
    },
    here: {
      uses: 'agent',
      agent: 'coder',
      needs: ['beside'],
      with: { instructions: 'Write b.txt.' },
      outputs: ['b.txt'],
      scope: ['b.txt'],
      gate: 'human',
    },
  },
};
const coder = `cat > /dev/null
case $AUTORESEARCH_TASK in beside) echo a > a.txt ;; *) echo b > b.txt ;; esac
echo '{"outcome": "done", "summary": "did it"}'
`;

export function keepCompiled(out) {
  const folder = mkdtempSync(join(tmpdir(), 'autoresearch-code-cache-'));
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  const run = (program, args, accept = [0]) => {
    const { status, error, stderr } = spawnSync(program, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    });
    if (!accept.includes(status)) throw error ?? new Error(`${args.at(-1)}: ${stderr}`);
  };
  const command = (args, accept) => run(process.execPath, [worker, resolve(out), ...args], accept);
  try {
    for (const [name, text] of configs) {
      writeFileSync(join(folder, name), text);
      // Named by nobody, so that looking for it is compiled as well.
      for (const each of commands) command(each);
      rmSync(join(folder, '.autoresearch'), { recursive: true });
      rmSync(join(folder, name));
    }
    const files = { 'autoresearch.config.json': JSON.stringify(agents), 'coder.sh': coder, 'eval.txt': 'x' };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    writeFileSync(join(folder, '.gitignore'), '*\n!coder.sh\n!eval.txt\n!autoresearch.config.json\n!a.txt\n!b.txt\n');
    const settled = [out, join(out, 'vendor')]
      .flatMap((each) => readdirSync(each))
      .filter((name) => name.endsWith('.cache'));
    env.SETTLED = settled.join(':');
    run('git', ['init', '-q']);
    run('git', ['add', '.']);
    run('git', ['-c', 'user.name=build', '-c', 'user.email=build@localhost', 'commit', '-q', '-m', 'first']);
    command(['exec', '--reporter', 'plain'], [3]);
    command(['gates']);
    command(['approve', 'here']);
    command(['exec', '--reporter', 'plain']);
    command(['status']);
    command(['verify']);
  } catch (error) {
    // The program does the same without it.
    console.warn(`Not all of the program was compiled ahead, so it will start later: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const worker = resolve(import.meta.dirname, 'code-cache-worker.cjs');
