import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loginSign } from '../../src/adapters/agents/cli/login-signs.js';
import { diskSpace } from '../../src/adapters/disk/disk-space.js';
import { packedVersion } from '../../src/adapters/process/program-version.js';
import type { CliContext } from '../../src/cli/context.js';
import { agentFindings } from '../../src/cli/doctor/agents.js';
import { clusterFindings, gitFinding, nodeFinding, programFindings } from '../../src/cli/doctor/machine.js';
import type { Study } from '../../src/cli/doctor/study.js';
import type { Finding } from '../../src/model/finding.js';
import type { Agent, Config } from '../../src/model/generated/config.js';
import { doctorText } from '../../src/report/doctor/doctor-text.js';

const room = mkdtempSync(join(tmpdir(), 'autoresearch-doctor-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const at = (env: Record<string, string>): CliContext => ({ cwd: room, env }) as unknown as CliContext;
const study = (config: object, agents: Record<string, object> = {}): Study => ({
  config: { stages: {}, ...config } as unknown as Config,
  agents: Object.entries(agents) as [string, Agent][],
  findings: [],
});

describe('what doctor looks at', () => {
  it('Node and git by number, not by letter', () => {
    expect(nodeFinding('20.19.0').standing).toBe('fine');
    expect(nodeFinding('22.1.0').standing).toBe('fine');
    expect(nodeFinding('20.9.1').standing).toBe('wrong');
    expect(nodeFinding('18.20.0')).toEqual({ check: 'node', standing: 'wrong', version: '18.20.0', wanted: '20.19' });
    const worktree = study({ stages: { a: { isolation: 'worktree' } } }).config;
    expect(gitFinding({ version: '2.9.5' }, undefined).standing).toBe('odd');
    expect(gitFinding({ version: '2.9.5' }, worktree).standing).toBe('wrong');
    expect(gitFinding({}, worktree).standing).toBe('wrong');
    expect(gitFinding({ version: '2.38.0' }, worktree).standing).toBe('fine');
    expect(gitFinding({ version: '3.0.0-rc1' }, worktree).standing).toBe('fine');
  });

  it('programs only where something needs them', async () => {
    const needs = study(
      { parity: { arms: { arms: { one: 'a.py', two: 'b.py' } }, data: { arms: { one: 'a.json' } } } },
      { coder: { backend: 'command', interactive: true }, judge: { backend: 'command' } },
    );
    expect(await programFindings(study({}, { judge: { backend: 'command' } }), at({ PATH: room }))).toEqual([]);
    expect(await programFindings(needs, at({ PATH: room }))).toEqual([
      { check: 'program', standing: 'wrong', name: 'tmux', neededBy: ['coder'] },
      { check: 'program', standing: 'wrong', name: 'python3', neededBy: ['arms'] },
    ]);
    for (const [name, says] of [
      ['tmux', 'tmux 3.3a'],
      ['python3', 'Python 3.12.1'],
    ])
      writeFileSync(join(room, name!), `#!/bin/sh\necho ${says}\n`, { mode: 0o755 });
    expect(await programFindings(needs, at({ PATH: room }))).toMatchObject([
      { standing: 'fine', version: '3.3a' },
      { standing: 'fine', version: '3.12.1' },
    ]);
  });

  it('schedulers by the programs that speak to them', async () => {
    const clusters = study({ clusters: { lab: { type: 'slurm' }, here: { type: 'local' } } });
    for (const name of ['sbatch', 'squeue', 'sacct']) writeFileSync(join(room, name), '', { mode: 0o755 });
    expect(await clusterFindings(clusters, at({ PATH: room }))).toEqual([
      { check: 'cluster', standing: 'wrong', name: 'lab', type: 'slurm', missing: ['scancel'] },
      { check: 'cluster', standing: 'fine', name: 'here', type: 'local', missing: [] },
    ]);
  });

  it('agents: one that may be missing is only odd, and an address is told without its password', () => {
    const found = agentFindings(
      study(
        {},
        {
          a: { backend: 'codex', optional: true },
          b: { backend: 'gemini', optional: true },
          c: { backend: 'gemini' },
          d: { backend: 'api', baseUrl: 'https://me:secret@example.invalid/v1' },
          e: { backend: 'command', run: 'set -e; ./x.sh' },
          f: { backend: 'replay' },
        },
      ),
      room,
      at({ PATH: '/nowhere', HOME: room }),
    );
    expect(found.map(({ standing }) => standing)).toEqual(['odd', 'wrong', 'fine', 'fine', 'fine']);
    expect(JSON.stringify(found)).not.toContain('secret');
    expect(found[1]).toMatchObject({ names: ['b', 'c'], program: 'gemini', from: '@google/gemini-cli' });
  });

  it('logins by what they leave behind', () => {
    const home = join(room, 'home');
    mkdirSync(join(home, '.codex'), { recursive: true });
    expect(loginSign('codex', { HOME: home })).toBe(process.platform === 'darwin' ? 'unknown' : 'not-seen');
    writeFileSync(join(home, '.codex/auth.json'), '');
    expect(loginSign('codex', { HOME: home })).toBe('seen');
    expect(loginSign('codex', { HOME: room, CODEX_HOME: join(home, '.codex') })).toBe('seen');
    expect(loginSign('codex', { HOME: room, OPENAI_API_KEY: 'x' })).toBe('seen');
    expect(loginSign('claude', { HOME: room, ANTHROPIC_BASE_URL: 'x', ANTHROPIC_API_KEY: '' })).not.toBe('seen');
    expect(loginSign('command', { HOME: room })).toBe('unknown');
    expect(loginSign('codex', {})).toBe('unknown');
  });

  it('versions of programs without starting them', () => {
    mkdirSync(join(room, 'lib/x/bin'), { recursive: true });
    mkdirSync(join(room, 'versions'), { recursive: true });
    writeFileSync(join(room, 'lib/x/package.json'), '{"name":"x","version":"1.2.3"}');
    writeFileSync(join(room, 'lib/x/bin/x'), '');
    writeFileSync(join(room, 'versions/2.0.14'), '');
    symlinkSync(join(room, 'lib/x/bin/x'), join(room, 'x'));
    symlinkSync(join(room, 'versions/2.0.14'), join(room, 'y'));
    expect(packedVersion(join(room, 'x'), 'x')).toBe('1.2.3');
    expect(packedVersion(join(room, 'x'), 'another')).toBeUndefined();
    expect(packedVersion(join(room, 'y'), 'y')).toBe('2.0.14');
    expect(packedVersion(join(room, 'nowhere'), 'y')).toBeUndefined();
  });

  it('the disk of a folder that is not there yet is that of the folder above', () => {
    expect(diskSpace(join(room, 'a/b'))).toMatchObject({ at: room, isThere: false, isWritable: true });
    expect(diskSpace('/proc/self').freeBytes).toBe(0);
  });
});

it('tells what is found seldom', () => {
  const findings: Finding[] = [
    { check: 'node', standing: 'wrong', version: '18.0.0', wanted: '20.19' },
    { check: 'git', standing: 'wrong', wanted: '2.38' },
    { check: 'git', standing: 'odd', version: '2.20.1', wanted: '2.38' },
    { check: 'sandbox', standing: 'wrong', level: 'none', wanted: 'bwrap', why: 'bubblewrap (bwrap) is not installed' },
    { check: 'sandbox', standing: 'odd', level: 'none', wanted: 'auto', why: 'bwrap does not work here: no' },
    { check: 'program', standing: 'wrong', name: 'tmux', neededBy: ['coder'] },
    { check: 'program', standing: 'fine', name: 'python3', version: '3.12.1', neededBy: ['parity'] },
    {
      check: 'repository',
      standing: 'wrong',
      kind: 'broken',
      root: '/lab/a study',
      neededBy: [],
      detail: 'fatal: detected dubious ownership',
    },
    { check: 'repository', standing: 'wrong', kind: 'none', root: '/lab', neededBy: ['code'] },
    { check: 'cluster', standing: 'wrong', name: 'lab', type: 'slurm', missing: ['sbatch'] },
    { check: 'state', standing: 'wrong', dir: '/lab/x', isThere: true, isWritable: false, filesystem: 'nfs' },
    { check: 'state', standing: 'odd', dir: '/lab/x', isThere: true, isWritable: true, filesystem: 'tmpfs' },
    { check: 'disk', standing: 'wrong', freeBytes: 9e9, freeFiles: 3 },
    { check: 'lock', standing: 'wrong', kind: 'unknown' },
    { check: 'runs', standing: 'odd', count: 3, newest: { run: '3-k2xw', outcome: 'waiting' } },
    { check: 'sessions', standing: 'odd', names: ['study-coder'], attach: 'tmux -S /s attach -t study-coder' },
    { check: 'places', standing: 'odd', folder: '/k', vaults: 2, evidence: 1, bytes: 5e6, removable: 0, kept: 1 },
    { check: 'failed', standing: 'wrong', what: 'the lock', detail: 'EIO' },
  ];
  expect(`\n${doctorText(findings, { color: false, quiet: false, again: ' --agent-id b', cwd: '/lab' })}`).toBe(`
✗ Node        18.0.0, but 20.19 or newer is needed
              → nvm install 22
✗ git         cannot be started
              → apt-get install git
! git         2.20.1, but worktrees need 2.38 or newer
              → apt-get install git
✗ sandbox     bwrap is asked for, but bubblewrap (bwrap) is not installed
              → apt-get install bubblewrap
! sandbox     auto is asked for, but bwrap does not work here: no; what agents write is looked at afterwards
              → bwrap --ro-bind / / --unshare-all true
✗ tmux        is not there, and coder needs it
              → apt-get install tmux
✓ python3     3.12.1
✗ repository  git cannot read it: fatal: detected dubious ownership
              → git config --global --add safe.directory '/lab/a study'
✗ repository  /lab is in none, and code works in worktrees
              → git init
✗ cluster     lab: sbatch of slurm is not there
              → command -v sbatch
✗ state       x cannot be written
              → chmod -R u+rwX x
! state       x, on tmpfs: gone when the machine restarts
              → cp -a . FOLDER-ON-A-DISK
✗ disk        9.0 GB free, but only 3 files
              → autoresearch clean --keep 3 --agent-id b
✗ lock        held by an unknown process, because the lock file cannot be read
              → autoresearch unlock --force --agent-id b
! runs        3; the newest, 3-k2xw: waits for a person
              → autoresearch status --agent-id b
! sessions    1 terminal of agents is open: study-coder; look: tmux -S /s attach -t study-coder
              → autoresearch clean --sessions --agent-id b
! kept        2 vaults and 1 piece of evidence in /k, 5.0 MB; 1 to look at
              → autoresearch clean --dry-run --agent-id b
✗ doctor      could not look at the lock: EIO

11 things do not work here, 6 things to know about.
`);
});
