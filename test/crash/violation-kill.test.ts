import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliEnd, ended, Project } from '../support/project.js';
import { shared } from '../support/thinned.js';
import { forEachOf } from './crash-room.js';

/** Does it once: whoever is asked again is honest. */
const once = (trick: string): string => `if [ ! -e .autoresearch/once ]; then touch .autoresearch/once; ${trick}; fi`;
const edit = 'echo 1 > eval/score.py; echo x > eval/new; rm eval/b.py';

interface Sketch {
  readonly stage: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly more?: object;
}

const sketches: Record<string, Sketch> = {
  'a command edits protected files': { stage: { uses: 'command', with: { run: 'sh s.sh' }, outputs: ['src/o'] } },
  'a command edits what only its stage protects': {
    stage: { uses: 'command', with: { run: 'sh s.sh' }, outputs: ['src/o'], protect: ['eval/**'] },
    more: { protect: [] },
  },
  'somebody edits a protected file when all is done': {
    stage: { uses: 'command', with: { run: 'date +%N > src/o' }, outputs: ['src/o'] },
  },
  'an agent edits protected files': { stage: { uses: 'agent', agent: 'a', outputs: ['src/o'] } },
  'an agent writes outside of its scope': {
    stage: { uses: 'agent', agent: 'a', scope: ['src/**'], outputs: ['src/o'] },
    more: { protect: [] },
  },
  'the tests of an agent write outside of its scope': {
    stage: {
      uses: 'agent',
      agent: 'a',
      scope: ['src/**'],
      outputs: ['src/o'],
      with: { instructions: 'x', verify: 'sh s.sh' },
    },
    more: { protect: [] },
  },
  'an agent changes git': { stage: { uses: 'agent', agent: 'a', scope: ['src/**'], outputs: ['src/o'] } },
};

function study(name: string, more: object = {}): Project {
  const { stage, more: own = {} } = sketches[name]!;
  const isGit = name.includes('git');
  const isByTests = name.includes('tests');
  const trick = isGit ? 'git branch -qD spare; echo "exit 0" > .git/hooks/pre-commit' : edit;
  const config = {
    name: 'study',
    protect: ['eval/**'],
    ...('agent' in stage
      ? { agents: { a: { backend: 'command', run: 'sh agent.sh', limits: { timeout: '60s' } } } }
      : {}),
    stages: {
      work: { with: { instructions: 'x' }, ...stage },
      next: { uses: 'command', needs: ['work'], with: { run: 'cat eval/* > used' }, outputs: ['used'] },
    },
    ...own,
    ...more,
  };
  const project = new Project({
    'autoresearch.config.json': JSON.stringify(config),
    'eval/score.py': 'score = 0.5\n',
    'eval/b.py': 'b\n',
    'src/none': '',
    's.sh': `mkdir -p src; date +%N > src/o\n${once(trick)}\n`,
    'agent.sh': `${isByTests ? 'date +%N > src/o' : 'sh s.sh'}; echo '{"outcome":"done","summary":"ok"}'\n`,
    '.gitignore': '.autoresearch\nlogs\nused\nsrc/o\nPLAN*\nexecution.md\n',
  });
  chmodSync(join(project.dir, 'agent.sh'), 0o755);
  git(project, 'init', '-q');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'all');
  git(project, 'branch', 'spare');
  return project;
}

const git = (project: Project, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'init.defaultBranch=main', ...args], {
    cwd: project.dir,
    encoding: 'utf8',
  });

const exec = (project: Project, env: Readonly<Record<string, string>> = {}): Promise<CliEnd> =>
  ended(project.start(['exec', '--reporter', 'plain'], env));

/** With somebody who writes when the last task has passed, where the study is about that. */
function killedBy(
  preload: 'kill-at' | 'kill-at-change' | undefined,
  name: string,
  { dir }: Project,
): Record<string, string> {
  const isAtEnd = name.includes('all is done');
  const loaded = [...(isAtEnd ? ['write-at-record'] : []), ...(preload ? [preload] : [])];
  return {
    NODE_OPTIONS: loaded.map((one) => `--require ${join(import.meta.dirname, `${one}.cjs`)}`).join(' '),
    ...(isAtEnd ? { WRITE_AT: '"type":"task-finished","task":"next"', WRITE_FILE: join(dir, 'eval/score.py') } : {}),
  };
}

/** All that was touched. */
const stateOf = (project: Project): string =>
  `${git(project, 'status', '--short', 'eval', 'src/none')}${git(project, 'branch')}${existsSync(join(project.dir, '.git/hooks/pre-commit'))}`;

/** Killed somewhere; then nobody may come to a good end before somebody was told. */
async function isTold(project: Project, before: string, what: string): Promise<void> {
  const first = await exec(project);
  expect(`${what}: ${first.code} ${first.stdout}${first.stderr}`).toMatch(/: 4 .*(eval\/|\.git\/|refs\/heads)/s);
  if (stateOf(project) !== before) {
    // What nobody had found yet is refused until a person puts it back.
    expect(`${what}: ${(await exec(project)).code}`).toBe(`${what}: 4`);
    git(project, 'checkout', '-q', 'eval');
    git(project, 'clean', '-qf', 'eval');
  }
  expect(`${what}: ${stateOf(project)}`).toBe(`${what}: ${before}`);
  const last = await exec(project);
  expect(`${what}: ${last.code} ${last.stdout}${last.stderr}`).toMatch(/: 0 /);
  expect(project.read('used')).toBe('b\nscore = 0.5\n');
}

describe.concurrent('a violation of which the runner is killed', () => {
  it.each(Object.keys(sketches))('at a record: %s', { timeout: 240_000 }, async (name) => {
    const unbroken = study(name);
    expect((await exec(unbroken, killedBy(undefined, name, unbroken))).code).toBe(4);
    const entries = unbroken.journal().filter(isInOrder);
    const isAbout = ({ type }: Record<string, unknown>): boolean =>
      type === 'protection-violated' || type === 'agent-validation-failed';
    const from = entries.findIndex(isAbout);
    expect(from).toBeGreaterThan(0);
    const cases = entries
      .flatMap((_, at) => (['before', 'after'] as const).map((how) => ({ at, how })))
      // What only a stage protects is known to nobody who comes before it was found.
      .filter(
        ({ at, how }) => (at > from || (at === from && (how === 'after' || isKnownBefore(name)))) && !isOver(at, how),
      );
    function isOver(at: number, how: string): boolean {
      return at === entries.length - 1 && how === 'after';
    }
    await forEachOf(shared(cases), async ({ at, how }) => {
      const project = study(name);
      const before = stateOf(project);
      await exec(project, {
        ...killedBy('kill-at', name, project),
        CRASH_AT: String(at),
        CRASH_HOW: how,
        CRASH_ONLY: inOrder,
      });
      await isTold(project, before, `${name}, killed ${how} record ${at} (${entries[at]!.type})`);
    });
  });

  it.each(Object.keys(sketches))('while it is put back: %s', { timeout: 240_000 }, async (name) => {
    const below = (project: Project): string => join(realpathSync(project.dir), name.includes('git') ? '.git' : 'eval');
    const unbroken = study(name);
    const log = `${unbroken.dir}.changes`;
    writeFileSync(log, '');
    await exec(unbroken, {
      ...killedBy('kill-at-change', name, unbroken),
      CHANGE_BELOW: below(unbroken),
      CHANGE_LOG: log,
    });
    const changes = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    rmSync(log);
    expect(changes.length).toBeGreaterThan(0);
    const cases = changes.flatMap((_, at) => (['before', 'after'] as const).map((how) => ({ at, how })));
    await forEachOf(shared(cases), async ({ at, how }) => {
      const project = study(name);
      const before = stateOf(project);
      const env = { CHANGE_BELOW: below(project), CHANGE_AT: String(at), CHANGE_HOW: how };
      await exec(project, { ...killedBy('kill-at-change', name, project), ...env });
      await isTold(project, before, `${name}, killed ${how} change ${at} (${changes[at]})`);
    });
  });

  it('is told, and tried again at once, where the study says so', async () => {
    const project = study('a command edits protected files', { onViolation: 'retry' });
    const type = 'protection-violated';
    const sample = study('a command edits protected files', { onViolation: 'retry' });
    expect((await exec(sample)).code).toBe(4);
    const at = sample
      .journal()
      .filter(isInOrder)
      .findIndex((entry) => entry.type === type);
    await exec(project, {
      ...killedBy('kill-at', '', project),
      CRASH_AT: String(at),
      CRASH_HOW: 'after',
      CRASH_ONLY: inOrder,
    });
    const { code, stderr } = await exec(project);
    expect(stderr).toContain(
      'something changed what is protected: eval/b.py, eval/new and eval/score.py; they have been put back',
    );
    expect(code).toBe(0);
    expect(project.read('used')).toBe('b\nscore = 0.5\n');
  });
});

/** What git says of the checkout is written when git has answered, which is not always between the same two records. */
const inOrder = '"type":"(?!workspace-recorded)';
const isInOrder = ({ type }: Record<string, unknown>): boolean => type !== 'workspace-recorded';
const isKnownBefore = (name: string): boolean => !name.includes('only its stage');
