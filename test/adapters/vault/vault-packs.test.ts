import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openVault } from '../../../src/adapters/vault/vault.js';
import { files, protect, rig } from './vault-rig.js';

const many = { isMany: true };
const packsIn = (dir: string): string[] => readdirSync(join(dir, 'copies')).filter((name) => name.startsWith('pack.'));

describe('a vault of many files', () => {
  it('has them in one file, from which whoever comes later restores them', async () => {
    const { dir, root, vault, agent, evidence } = await rig();
    const first = vault.keep(protect, many);
    expect(packsIn(dir)).toHaveLength(1);
    expect(readdirSync(join(dir, 'copies'))).toHaveLength(2);
    agent('echo evil > eval/score.py; rm eval/run.sh');
    const later = await openVault({ root, dir });
    const kept = later.load(first.digest);
    expect(later.damaged(kept)).toEqual([]);
    expect(later.putBack(kept, later.changes(kept), { evidence })).toMatchObject({
      ...{ restored: ['eval/run.sh', 'eval/score.py'], problems: [] },
    });
    expect(readFileSync(join(root, 'eval/score.py'), 'utf8')).toBe(files['eval/score.py']);
    // What is there already is not kept twice; what is new is.
    later.keep(protect, many);
    expect(packsIn(dir)).toHaveLength(1);
    writeFileSync(join(root, 'eval/score.py'), 'print(2)\n');
    later.keep(protect, many);
    expect(packsIn(dir)).toHaveLength(2);
  });

  it.each([
    ['changed', 'chmod 600 $P; sed -i s/print/Print/ $P'],
    [
      'forged to the size and time',
      'chmod 600 $P; cp -p $P $OUT/p; LC_ALL=C sed s/print/Print/ $OUT/p | dd of=$P conv=notrunc status=none; touch -r $OUT/p $P',
    ],
    ['cut off', 'chmod 600 $P; truncate -s 70 $P'],
    ['gone', 'rm -f $P'],
    ['a link to something else', 'rm -f $P; ln -s /etc/hostname $P'],
    ['a pipe', 'rm -f $P; mkfifo $P'],
    ['a folder', 'rm -f $P; mkdir $P'],
    ['of an enormous length, as it says', 'chmod 600 $P; sed -i "s/ [0-9]*$/ 999999999999999/" $P'],
  ])('never restores from a pack that is %s; the next one to keep them keeps them anew', async (_, script) => {
    const { dir, root, vault, agent, evidence } = await rig();
    const first = vault.keep(protect, many);
    const digest = first.entries.get('eval/score.py')!.digest!;
    agent(`P=${dir}/copies/${packsIn(dir)[0]}; ${script}`);
    // It is held in memory, so nothing is lost yet, but the copy is known to be spoilt.
    expect(vault.damaged(first)).toContain('eval/score.py');
    const later = await openVault({ root, dir });
    const kept = later.load(first.digest);
    expect(later.damaged(kept)).toContain('eval/score.py');
    const again = later.keep(protect, many);
    expect(again.entries.get('eval/score.py')!.digest).toBe(digest);
    expect(later.damaged(again)).toEqual([]);
    const last = await openVault({ root, dir });
    agent('echo evil > eval/score.py');
    expect(last.putBack(kept, last.changes(kept), { evidence }).problems).toEqual([]);
    expect(readFileSync(join(root, 'eval/score.py'), 'utf8')).toBe(files['eval/score.py']);
  });

  it('leaves no file where the only copy is spoilt', async () => {
    const { dir, root, vault, agent, evidence } = await rig();
    const first = vault.keep(protect, many);
    agent(`P=${dir}/copies/${packsIn(dir)[0]}; chmod 600 $P; sed -i s/print/Print/ $P; echo evil > eval/score.py`);
    const later = await openVault({ root, dir });
    const kept = later.load(first.digest);
    expect(later.putBack(kept, later.changes(kept), { evidence }).problems).toEqual([
      'eval/score.py: its copy in the vault is gone or was tampered with',
      'eval/score.py is still not as it was (removed)',
    ]);
    expect(existsSync(join(root, 'eval/score.py'))).toBe(false);
  });
});
