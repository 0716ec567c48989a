import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bwrapArgs, kindAt, layersOf, type SettledFence } from '../../../src/adapters/sandbox/sandbox-args.js';
import { fencedCommand } from '../../../src/adapters/sandbox/sandbox-command.js';
import { settleFence } from '../../../src/adapters/sandbox/sandbox-fence.js';
import { sandboxLevel } from '../../../src/adapters/sandbox/sandbox-level.js';
import { runnerOf, SandboxRig } from './sandbox-rig.js';

const runner = runnerOf('direct');
afterAll(() => runner.close());

describe('bwrapArgs', () => {
  const fence: SettledFence = {
    ...{ root: '/p', cwd: '/p', home: '/h', writable: ['/p/src', '/p/eval/out'], readOnly: ['/p/src/a/b', '/p/eval'] },
    ...{
      hidden: ['/p/.state'],
      visibleFiles: ['/p/.state/x'],
      visibleFolders: ['/p/.state/t'],
      beside: [],
      seen: [],
      links: [],
    },
  };

  it('lets the innermost layer decide, and what is protected win', () => {
    const layers = layersOf(fence);
    const kinds = ['/p/src/n', '/p/src/a/n', '/p/src/a/b', '/p/eval/out/x', '/p/x', '/etc', '/tmp/x', '/p/.state/y'];
    const want = ['write', 'write', 'read', 'read', 'read', 'read', 'scratch', 'empty'];
    expect(kinds.map((path) => kindAt(layers, path))).toEqual(want);
    expect(['/p/.state/x', '/p/.state/t/n'].map((path) => kindAt(layers, path))).toEqual(['read', 'write']);
  });

  it('does not show what is hidden because it is protected or writable too', () => {
    const layers = layersOf({ ...fence, readOnly: ['/p/.state/y'], writable: ['/p/.state/z'] });
    expect(['/p/.state/y', '/p/.state/z'].map((path) => kindAt(layers, path))).toEqual(['empty', 'empty']);
  });

  it('makes mount points of the folders on the way to something guarded', () => {
    expect(bwrapArgs(fence).join(' ')).toContain('--bind /p/src/a /p/src/a --ro-bind /p/src/a/b /p/src/a/b');
  });
});

describe('settleFence', () => {
  let rig: SandboxRig;
  beforeEach(() => {
    rig = new SandboxRig(runner);
  });
  afterEach(() => rig.remove());
  const problem = (own: object): string => {
    const settled = settleFence(rig.fence(own));
    return settled.ok ? 'none' : settled.error;
  };

  it('refuses a scope that leads out of the project', () => {
    const outside = join(rig.base, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(rig.root, 'out'));
    expect(problem({ writable: [join(rig.root, 'out')] })).toMatch(/leads out of the project, to .*outside$/);
    expect(problem({ writable: [join(rig.root, 'src/../..')] })).toMatch(/leads out of the project/);
    expect(problem({ writable: [join(rig.root, 'nothing')] })).toMatch(/ENOENT/);
    expect(problem({ root: '/', cwd: '/' })).toMatch(/cannot be the project/);
    expect(problem({ homeFolders: ['/'] })).toMatch(/cannot be made writable/);
  });

  it('tells what it cannot hold', () => {
    symlinkSync('../eval/score.py', join(rig.root, 'src/link.py'));
    mkdirSync(join(rig.root, 'data'));
    symlinkSync('../data', join(rig.root, 'src/way'));
    linkSync(rig.file('project/data/twice', 'x'), join(rig.root, 'src/once'));
    const readOnly = ['src/link.py', 'src/way/twice', 'data'].map((name) => join(rig.root, name));
    const settled = settleFence(rig.fence({ readOnly }));
    expect(settled.ok && settled.value.unheld).toEqual([
      `${rig.root}/src/link.py is a link that can be replaced`,
      `${rig.root}/src/way is a link that can be replaced`,
      `${rig.root}/data/twice has other names (hard links) that may be writable`,
    ]);
  });

  it('says that a program is missing as the runner would', () => {
    const fencing = { fence: rig.fence(), bwrap: '/usr/bin/bwrap', path: '/usr/bin' };
    expect(fencedCommand(rig.spec(['no-such-program']), fencing)).toEqual({
      ok: false,
      error: { code: 'command-not-found', command: 'no-such-program' },
    });
    const nowhere = { ...fencing, fence: rig.fence({ writable: ['/etc'] }) };
    expect(fencedCommand(rig.spec('true'), nowhere)).toMatchObject({
      error: { code: 'command-not-started', detail: expect.stringMatching(/^sandbox: \/etc may not/) },
    });
  });
});

describe('sandboxLevel', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-level-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const fake = (name: string, script: string): { PATH: string } => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'bwrap'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name, 'bwrap'), 0o755);
    return { PATH: join(folder, name) };
  };

  it('does not believe a program that is only called bwrap', async () => {
    const open = fake('open', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    expect(await sandboxLevel(open)).toMatchObject({ level: 'none', why: expect.stringContaining('not') });
    expect(await sandboxLevel(fake('yes', 'exit 0'))).toMatchObject({ level: 'none' });
    const broken = await sandboxLevel(
      fake('broken', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1'),
    );
    expect(broken).toMatchObject({ level: 'none', why: expect.stringMatching(/does not work here: bwrap: No perm/) });
  });

  it('gives up on one that hangs, and asks once', async () => {
    const env = fake('hang', `echo x >>${folder}/asked; exec sleep 1000`);
    const both = await Promise.all([sandboxLevel(env), sandboxLevel(env)]);
    expect(both[0]).toMatchObject({ level: 'none', why: expect.stringContaining('did not end in time') });
    expect(both[1]).toBe(both[0]);
  }, 15_000);
});
