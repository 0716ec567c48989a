import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKept, openVault } from '../../../src/adapters/vault/vault.js';
import { until } from '../../support/until.js';
import { files, onlyProtected, picture, protect, rig } from './vault-rig.js';

const isRoot = process.geteuid?.() === 0;

/** As a user to whom modes apply; root passes through every closed door. */
function unprivileged<Value>(act: () => Value): Value {
  if (!isRoot) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a vault', () => {
  it('is opened only outside of the project and not around it', async () => {
    const { root, dir, outside } = await rig();
    await expect(openVault({ root, dir: join(root, '.autoresearch/vault') })).rejects.toThrow('outside');
    await expect(openVault({ root, dir: join(root, '..') })).rejects.toThrow('outside');
    await expect(openVault({ root, dir: 'vault' })).rejects.toThrow('absolute');
    symlinkSync(root, join(outside, 'door'));
    await expect(openVault({ root, dir: join(outside, 'door/vault') })).rejects.toThrow('outside');
    expect(lstatSync(dir).mode & 0o777).toBe(0o700);
  });

  it('takes what goes away while it looks for what it is: gone', async () => {
    const { root, vault } = await rig();
    const lock = JSON.stringify(join(root, 'eval/score.lock'));
    const code = `const { rmSync, writeFileSync } = require('node:fs'); process.stdout.write('on'); for (;;) { writeFileSync(${lock}, ''); rmSync(${lock}); }`;
    const other = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      await once(other.stdout, 'data');
      for (let turn = 0; turn < 200; turn += 1) vault.keep(protect);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    rmSync(join(root, 'eval/score.lock'), { force: true });
    expect(vault.changes(vault.keep(protect))).toEqual([]);
  });

  it('holds each content once, for nobody to write, and no rubbish', async () => {
    const { root, dir, vault } = await rig();
    writeFileSync(join(root, 'eval/twin.py'), files['eval/score.py']!);
    const kept = vault.keep(protect);
    const copies = readdirSync(join(dir, 'copies'));
    const digests = new Set([...kept.entries.values()].flatMap(({ digest }) => digest ?? []));
    expect(new Set(copies)).toEqual(new Set([...digests, kept.digest]));
    for (const copy of copies) expect(lstatSync(join(dir, 'copies', copy)).mode & 0o777).toBe(0o400);
  });

  it('keeps what a pattern means: a name is a folder too, a star stays in its folder, dotfiles and links count', async () => {
    const { vault } = await rig();
    const paths = (patterns: string[], leaveOut?: string[]): string[] =>
      [...vault.keep(patterns, leaveOut ? { leaveOut } : {}).entries].flatMap(([path, { isGuarded }]) =>
        isGuarded ? [path] : [],
      );
    expect(paths(['eval/data'])).toEqual(['eval/data', 'eval/data/.hidden', 'eval/data/truth.csv']);
    expect(paths(['./eval/data/'])).toEqual(paths(['eval/data']));
    expect(paths(['eval/*'])).toEqual(['eval/alias', 'eval/data', 'eval/empty', 'eval/run.sh', 'eval/score.py']);
    expect(paths(['**/*.csv', 'src/*.py'])).toEqual(['eval/data/truth.csv', 'src/model.py']);
    expect(paths(['eval'], ['eval/data', '**/*.sh'])).toEqual(['eval', 'eval/alias', 'eval/empty', 'eval/score.py']);
    for (const wrong of ['../x', '/etc', '', 'a/../b', 'a//b']) expect(() => vault.keep([wrong])).toThrow('no pattern');
  });

  it('guards what is not there yet', async () => {
    const { root, vault, agent, evidence, outside } = await rig();
    const kept = vault.keep(['later/**', 'plans/a/metrics.yaml', '**/secret.csv']);
    agent(
      'mkdir -p plans/a plans/b later; echo > plans/free; echo > later/x; mkdir src/in; echo > src/in/secret.csv' +
        String.raw`; mkdir $'src/li\nne'; echo > $'src/li\nne/secret.csv'`,
    );
    expect(vault.changes(kept).map(({ how, path }) => `${how} ${path}`)).toEqual([
      'added later',
      'added later/x',
      'added src/in/secret.csv',
      'added src/li\nne/secret.csv',
    ]);
    agent('rm -r plans later src/in src/li*; mkdir -p $OUT/a; echo > $OUT/a/metrics.yaml; ln -s $OUT plans');
    const changes = vault.changes(kept);
    expect(changes).toEqual([{ path: 'plans', how: 'added' }]);
    expect(vault.putBack(kept, changes, { evidence }).problems).toEqual([]);
    expect(existsSync(join(root, 'plans'))).toBe(false);
    expect(existsSync(join(outside, 'a/metrics.yaml'))).toBe(true);
  });

  it('is not troubled by a file that was only touched, or replaced by the same', async () => {
    const { vault, agent } = await rig();
    const kept = vault.keep(protect);
    agent(
      'touch eval/score.py; cp -p eval/run.sh eval/r; mv eval/r eval/run.sh; cp -a eval $OUT; rm -r eval; cp -a $OUT/eval .',
    );
    expect(vault.changes(kept)).toEqual([]);
    expect(vault.changes(kept, { thorough: true })).toEqual([]);
  });

  it('finds a change in the same tick of the clock, with the same size', async () => {
    const { root, vault } = await rig();
    for (let round = 0; round < 50; round += 1) {
      writeFileSync(join(root, 'eval/score.py'), 'one');
      const kept = vault.keep(protect);
      writeFileSync(join(root, 'eval/score.py'), 'two');
      expect(vault.changes(kept)).toEqual([{ path: 'eval/score.py', how: 'changed' }]);
      // The same where the clock is so coarse that the stamps are the old ones.
      const old = kept.entries.get('eval/score.py')!;
      const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(join(root, 'eval/score.py'), { bigint: true });
      const stamps = `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
      const still = { ...kept, entries: new Map(kept.entries).set('eval/score.py', { ...old, stamps }) };
      if (old.isFresh) expect(vault.changes(still)).toEqual([{ path: 'eval/score.py', how: 'changed' }]);
    }
  });

  it('believes stamps unless it is told to be thorough', async () => {
    const { root, vault, agent } = await rig();
    const kept = vault.keep(protect);
    agent('printf "print(7)" | dd of=eval/score.py conv=notrunc status=none');
    // As if whoever wrote it had also set the clock, and with it every stamp.
    const { dev, ino, size, mtimeNs, ctimeNs } = lstatSync(join(root, 'eval/score.py'), { bigint: true });
    const stamps = `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
    const entries = new Map(kept.entries).set('eval/score.py', { ...kept.entries.get('eval/score.py')!, stamps });
    expect(vault.changes({ ...kept, entries })).toEqual([]);
    expect(vault.changes({ ...kept, entries }, { thorough: true })).toEqual([
      { path: 'eval/score.py', how: 'changed' },
    ]);
  });

  it.runIf(isRoot)('does not read again what has the same stamps', async () => {
    const { root, vault } = await rig();
    execFileSync('sh', ['-c', 'chown -R 65534 ..; chown 0 eval/score.py; chmod 000 eval/score.py'], { cwd: root });
    const changed = Date.now();
    await until(() => Date.now() > changed + 60);
    const first = vault.keep(protect);
    // Now whoever opens it is refused; looking at it is allowed.
    expect(unprivileged(() => vault.keep(protect)).digest).toBe(first.digest);
    expect(unprivileged(() => vault.changes(first))).toEqual([]);
    expect(unprivileged(() => vault.changes(first, { thorough: true }))).toEqual([
      { path: 'eval/score.py', how: 'changed' },
    ]);
  });

  it('loads a manifest of any length', async () => {
    const { root, dir, vault, agent } = await rig();
    agent('cd eval; for i in $(seq 5000); do : > a-rather-long-name-for-a-file-$i; done');
    const { digest, manifest } = vault.keep(protect);
    expect(manifest.length).toBeGreaterThan(1 << 20);
    const later = await openVault({ root, dir });
    expect(later.changes(later.load(digest))).toEqual([]);
  });

  it('keeps large files too, and puts them back', async () => {
    const { root, dir, vault, agent, evidence } = await rig();
    agent('head -c 3000000 /dev/urandom > eval/weights');
    const before = picture(root);
    const { digest } = vault.keep(protect);
    agent('printf x | dd of=eval/weights bs=1 seek=2000000 conv=notrunc status=none');
    const later = await openVault({ root, dir });
    const kept = later.load(digest);
    expect(later.putBack(kept, later.changes(kept), { evidence }).problems).toEqual([]);
    expect(picture(root)).toEqual(before);
  });

  it('puts the time back, and breaks hard links', async () => {
    const { root, vault, agent, evidence, outside } = await rig();
    utimesSync(join(root, 'eval/score.py'), 1_600_000_000, 1_600_000_000.25);
    const kept = vault.keep(protect);
    agent('ln eval/score.py $OUT/hard; echo "#" >> $OUT/hard');
    const { evidence: found } = vault.putBack(kept, vault.changes(kept), { evidence });
    expect(lstatSync(join(root, 'eval/score.py')).mtimeMs).toBeCloseTo(1_600_000_000_250, 1);
    agent('echo again >> $OUT/hard');
    expect(vault.changes(kept, { thorough: true })).toEqual([]);
    expect(readFileSync(join(outside, 'hard'), 'utf8')).toContain('again');
    expect(found).toEqual([join(evidence, 'eval/score.py')]);
    expect(readFileSync(found[0]!, 'utf8')).toBe(`${files['eval/score.py']}#\n`);
  });

  it('keeps the evidence of each time apart, and on another disk too', async () => {
    const { root, vault, agent, evidence } = await rig();
    const kept = vault.keep(protect);
    const again = (where: string): readonly string[] => {
      agent(
        'echo x > eval/new; mkdir -p eval/deep/er; ln -s /etc eval/deep/er/l; mkfifo eval/deep/p; echo 1 > eval/deep/f',
      );
      const done = vault.putBack(kept, vault.changes(kept), { evidence: where });
      expect(done.problems).toEqual([]);
      return done.evidence;
    };
    expect(again(evidence)).toEqual([join(evidence, 'eval/deep'), join(evidence, 'eval/new')]);
    expect(again(evidence)).toEqual([join(`${evidence}-2`, 'eval/deep'), join(`${evidence}-2`, 'eval/new')]);
    if (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync(root).dev) return;
    const far = `/dev/shm/vault-test-${process.pid}`;
    again(far);
    const said = picture(far);
    execFileSync('rm', ['-r', far]);
    expect(Object.keys(said).sort()).toEqual([
      'eval',
      'eval/deep',
      'eval/deep/er',
      'eval/deep/er/l',
      'eval/deep/f',
      'eval/deep/p',
      'eval/new',
    ]);
    expect(said['eval/deep/er/l']).toBe('link /etc');
  });

  it('does not put evidence where it would be guarded, or behind a link', async () => {
    const { root, vault, agent } = await rig();
    const kept = vault.keep(protect);
    agent('echo x > eval/new; mkdir -p .autoresearch; ln -s ../eval .autoresearch/trap; ln -s $OUT .autoresearch/out');
    const attempt = (evidence: string): readonly string[] =>
      vault.putBack(kept, vault.changes(kept), { evidence }).problems;
    expect(attempt(join(root, 'eval/evidence'))).toEqual(['evidence cannot be kept in what is protected']);
    expect(attempt(join(root, '.autoresearch/trap'))[0]).toContain('evidence cannot be kept');
    expect(attempt(join(root, '.autoresearch/out/e'))[0]).toContain('evidence cannot be kept');
    expect(attempt('evidence')[0]).toContain('absolute');
    expect(attempt(join(root, '.autoresearch/evidence'))).toEqual([]);
  });

  it('opens folders that were shut, and shuts what was shut before', async () => {
    const { root, vault, agent, evidence, dir } = await rig();
    chmodSync(join(root, 'eval/empty'), 0o500);
    agent('echo "#" >> eval/score.py; chmod 555 eval/data');
    if (isRoot) execFileSync('chown', ['-R', '65534', join(root, '..')]);
    const before = onlyProtected(picture(root));
    const kept = unprivileged(() => vault.keep(protect));
    agent(
      'echo 9 > eval/data/truth.csv; echo > eval/data/new; echo > eval/empty/new; chmod 000 eval/score.py eval/data eval/empty eval design',
    );
    if (isRoot) execFileSync('chown', ['-R', '65534', root]);
    const changes = unprivileged(() => vault.changes(kept));
    expect(changes).toEqual([
      { path: 'design', how: 'mode' },
      { path: 'eval', how: 'mode' },
    ]);
    const done = unprivileged(() => vault.putBack(kept, changes, { evidence }));
    if (isRoot) chownSync(dir, 0, 0);
    expect(done.problems).toEqual([]);
    expect(onlyProtected(picture(root))).toEqual(before);
    expect(done.evidence.map((one) => one.slice(evidence.length + 1))).toEqual([
      'eval/data/new',
      'eval/data/truth.csv',
      'eval/empty/new',
    ]);
  });

  it('says so when something cannot be read and so cannot be kept', async () => {
    const { root, vault } = await rig();
    if (isRoot) execFileSync('chown', ['-R', '65534', join(root, '..')]);
    chmodSync(join(root, 'eval/data'), 0);
    expect(() => unprivileged(() => vault.keep(protect))).toThrow('eval/data cannot be looked into');
  });

  it('does nothing through a root that is no folder any more', async () => {
    const { root, outside, vault, agent, evidence } = await rig();
    const kept = vault.keep(protect);
    agent('cd ..; mv project outside/moved; echo 9 > outside/moved/eval/score.py; ln -s outside/moved project');
    const before = picture(outside);
    const changes = vault.changes(kept);
    expect(changes).toEqual([{ path: '.', how: 'type' }]);
    const done = vault.putBack(kept, changes, { evidence });
    expect(done.restored).toEqual([]);
    expect(done.problems.join()).toContain('no folder any more');
    expect(picture(outside)).toEqual(before);
    expect(lstatSync(root).isSymbolicLink()).toBe(true);
  });
});

describe('a vault that somebody tampers with', () => {
  it('restores from memory while it lives, whatever was done to the copies', async () => {
    const { dir, root, vault, agent, evidence } = await rig();
    const kept = vault.keep(protect);
    expect(vault.damaged(kept)).toEqual([]);
    agent(`cd ${dir}/copies; for f in *; do chmod 600 $f; echo evil > $f; done; cd ${root}; echo evil > eval/score.py`);
    expect(vault.damaged(kept)).toEqual([
      'design/metrics.yaml',
      'eval/data/.hidden',
      'eval/data/truth.csv',
      'eval/run.sh',
      'eval/score.py',
    ]);
    expect(vault.putBack(kept, vault.changes(kept), { evidence }).problems).toEqual([]);
    expect(readFileSync(join(root, 'eval/score.py'), 'utf8')).toBe(files['eval/score.py']);
    vault.keep(protect);
    expect(vault.damaged(kept)).toEqual([]);
  });

  it.each([
    ['changed', 'chmod 600 $C; echo "print(9)" > $C'],
    [
      'forged to the size and time',
      'chmod 600 $C; cp -p $C $OUT/c; printf "print(9)" | dd of=$C conv=notrunc status=none; touch -r $OUT/c $C',
    ],
    ['gone', 'rm -f $C'],
    ['a link to something else', 'rm -f $C; ln -s /etc/hostname $C'],
    ['a pipe', 'rm -f $C; mkfifo $C'],
    ['a folder', 'rm -f $C; mkdir $C'],
  ])('never restores a copy that is %s', async (_, script) => {
    const { dir, root, vault, agent, evidence } = await rig();
    const first = vault.keep(protect);
    agent(
      `C=${dir}/copies/${first.entries.get('eval/score.py')?.digest}; ${script}; echo evil > eval/score.py; rm eval/run.sh`,
    );
    const later = await openVault({ root, dir });
    const kept = later.load(first.digest);
    const done = later.putBack(kept, later.changes(kept), { evidence });
    expect(done.restored).toEqual(['eval/run.sh']);
    expect(done.problems).toEqual([
      'eval/score.py: its copy in the vault is gone or was tampered with',
      'eval/score.py is still not as it was (removed)',
    ]);
    // What somebody made of it does not stay either.
    expect(existsSync(join(root, 'eval/score.py'))).toBe(false);
    expect(readdirSync(join(root, 'eval')).filter((name) => name.includes('draft'))).toEqual([]);
  });

  it('does not take a planted copy for its own', async () => {
    const { dir, root, vault, agent } = await rig();
    const { digest } = vault.keep(protect).entries.get('eval/score.py')!;
    agent(`cd ${dir}/copies; chmod 600 ${digest}; echo evil > ${digest}`);
    const later = await openVault({ root, dir });
    expect(later.damaged(later.keep(protect))).toEqual([]);
  });

  it('notices a manifest that is not the one it wrote', async () => {
    const { dir, root, vault, agent } = await rig();
    const kept = vault.keep(protect);
    expect(loadKept(kept.manifest, kept.digest)).toEqual(kept);
    expect(() => loadKept(kept.manifest.replace('"mode":493', '"mode":511'), kept.digest)).toThrow('tampered');
    agent(`cd ${dir}/copies; chmod 600 ${kept.digest}; sed -i s/493/511/ ${kept.digest}`);
    const later = await openVault({ root, dir });
    expect(() => later.load(kept.digest)).toThrow('tampered');
    expect(() => later.load('../../etc/passwd')).toThrow();
    mkdirSync(join(root, '../other'));
    const other = await openVault({ root: join(root, '../other'), dir });
    expect(() => other.changes(kept)).toThrow('belongs to');
  });
});

describe('the text for people', () => {
  it('shows lines, says what is binary, and cannot speak to the terminal', async () => {
    const { vault, agent } = await rig();
    const kept = vault.keep(protect);
    agent(`sed -i 's/print(2)/print(8)/' eval/score.py; printf 'a\\0b' > eval/data/truth.csv; rm design/metrics.yaml
      printf '\\033[2Jboo\\n' > $'eval/a\\nb'; chmod 644 eval/run.sh; ln -sfn /etc/passwd eval/alias`);
    const text = vault.diffText(kept, vault.changes(kept));
    expect(text).toContain(
      'changed eval/score.py\n@@ line 2 @@\n (mode 644)\n print(1)\n-print(2)\n+print(8)\n print(3)\n',
    );
    expect(text).toContain('now: binary, 3 bytes\n');
    expect(text).toContain('removed design/metrics.yaml\n  now: not there\n-(mode 644)\n-loss: min\n');
    expect(text).toContain('added "eval/a\\nb"\n  before: not there\n+(mode 644)\n+\\u001b[2Jboo\n');
    expect(text).toContain('mode eval/run.sh\n@@ line 0 @@\n-(mode 755)\n+(mode 644)\n');
    expect(text).toContain('changed eval/alias\n  link to score.py → link to /etc/passwd\n');
    expect(text).not.toContain('\x1b');
  });

  it('is bounded', async () => {
    const { vault, agent } = await rig();
    const kept = vault.keep(protect);
    agent('seq 1 100000 > eval/score.py; seq 1 2000 > eval/run.sh; for i in $(seq 50); do echo $i > eval/n$i; done');
    for (const most of [200, 20_000]) {
      const text = vault.diffText(kept, vault.changes(kept), { most });
      expect(text.length).toBeLessThanOrEqual(most);
      expect(text).toContain('… cut here');
    }
  });
});
