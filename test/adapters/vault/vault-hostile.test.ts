import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openVault } from '../../../src/adapters/vault/vault.js';
import { files, onlyProtected, picture, protect, rig, withoutProtected } from './vault-rig.js';

/** What an agent does, what must be found. Found by stamps and by digests alike; afterwards all is as before. */
const attacks: readonly (readonly [name: string, script: string, found: readonly string[]])[] = [
  ['an edit', 'sed -i s/1/9/ eval/score.py', ['changed eval/score.py']],
  ['an append', 'echo "print(9)" >> eval/score.py', ['changed eval/score.py']],
  ['a truncation', ': > eval/data/truth.csv', ['changed eval/data/truth.csv']],
  [
    'an edit of the same size with a forged time',
    'touch -r eval/score.py $OUT/t; printf "print(7)" | dd of=eval/score.py conv=notrunc status=none; touch -r $OUT/t eval/score.py',
    ['changed eval/score.py'],
  ],
  ['a deletion', 'rm eval/score.py', ['removed eval/score.py']],
  ['a rename', 'mv eval/score.py eval/score2.py', ['removed eval/score.py', 'added eval/score2.py']],
  [
    'a link to an identical copy',
    'cp eval/score.py $OUT/s; rm eval/score.py; ln -s $OUT/s eval/score.py',
    ['type eval/score.py'],
  ],
  ['a link with another target', 'ln -sfn run.sh eval/alias', ['changed eval/alias']],
  ['a link that became a copy', 'rm eval/alias; cp eval/score.py eval/alias', ['type eval/alias']],
  [
    'a folder swapped for a link to a copy',
    'cp -a eval/data $OUT/data; rm -r eval/data; ln -s $OUT/data eval/data',
    ['type eval/data', 'removed eval/data/.hidden', 'removed eval/data/truth.csv'],
  ],
  [
    'the topmost protected folder swapped for a link',
    'mv eval $OUT/eval; ln -s $OUT/eval eval',
    [
      'type eval',
      'removed eval/alias',
      'removed eval/data',
      'removed eval/data/.hidden',
      'removed eval/data/truth.csv',
      'removed eval/empty',
      'removed eval/run.sh',
      'removed eval/score.py',
    ],
  ],
  [
    'a folder renamed and a fake in its place',
    'mv eval/data $OUT/real; mkdir eval/data; echo "a,b" > eval/data/truth.csv; echo dot > eval/data/.hidden',
    ['changed eval/data/truth.csv'],
  ],
  [
    'the way to a protected file swapped for a link',
    'mv design $OUT/design; echo "loss: max" > $OUT/design/metrics.yaml; ln -s $OUT/design design',
    ['type design', 'removed design/metrics.yaml'],
  ],
  ['a shadow file', 'echo x > eval/numpy.py', ['added eval/numpy.py']],
  [
    'a shadow in the cache',
    'mkdir eval/__pycache__; echo x > eval/__pycache__/score.pyc',
    ['added eval/__pycache__', 'added eval/__pycache__/score.pyc'],
  ],
  ['a hidden and ignored file', 'echo "*" > eval/.gitignore', ['added eval/.gitignore']],
  ['a mode', 'chmod 644 eval/run.sh', ['mode eval/run.sh']],
  ['a sticky mode', 'chmod 4755 eval/run.sh', ['mode eval/run.sh']],
  ['a mode of a folder', 'chmod 777 eval/data', ['mode eval/data']],
  ['a mode and an edit', 'echo 9 > eval/run.sh; chmod 600 eval/run.sh', ['changed eval/run.sh']],
  [
    'a write through a hard link from elsewhere',
    'ln eval/score.py $OUT/hard; echo "#" >> $OUT/hard',
    ['changed eval/score.py'],
  ],
  ['a pipe', 'rm eval/score.py; mkfifo eval/score.py', ['type eval/score.py']],
  ['a new pipe', 'mkfifo eval/pipe', ['added eval/pipe']],
  [
    'a file that became a folder',
    'rm eval/score.py; mkdir -p eval/score.py/x',
    ['type eval/score.py', 'added eval/score.py/x'],
  ],
  [
    'a folder that became a file',
    'rm -r eval/data; echo > eval/data',
    ['type eval/data', 'removed eval/data/.hidden', 'removed eval/data/truth.csv'],
  ],
  ['an empty folder removed', 'rmdir eval/empty', ['removed eval/empty']],
  ['a deep new folder', 'mkdir -p eval/a/b; echo > eval/a/b/c', ['added eval/a', 'added eval/a/b', 'added eval/a/b/c']],
  ['a name with a line break', `touch $'eval/a\\nb'`, ['added eval/a\nb']],
  ['a name in another script', 'touch eval/évaluation✓😀', ['added eval/évaluation✓😀']],
  ['a name that is no text', `touch $'eval/\\xff\\xfe'`, ['added eval/\udcff\udcfe']],
  [
    'a folder whose name is no text',
    `mkdir $'eval/\\xe9'; touch $'eval/\\xe9/\\xe8'`,
    ['added eval/\udce9', 'added eval/\udce9/\udce8'],
  ],
  [
    'everything gone',
    'rm -r eval design',
    [
      'removed design',
      'removed design/metrics.yaml',
      'removed eval',
      'removed eval/alias',
      'removed eval/data',
      'removed eval/data/.hidden',
      'removed eval/data/truth.csv',
      'removed eval/empty',
      'removed eval/run.sh',
      'removed eval/score.py',
    ],
  ],
];

describe('the vault finds and undoes', () => {
  it.each(attacks)('%s', async (_, script, found) => {
    const { root, outside, evidence, vault, agent } = await rig();
    const kept = vault.keep(protect);
    const before = picture(root);
    agent(script);
    const [elsewhere, free] = [picture(outside), withoutProtected(picture(root))];
    const changes = vault.changes(kept);
    expect(changes.map(({ how, path }) => `${how} ${path}`)).toEqual(found);
    expect(vault.changes(kept, { thorough: true })).toEqual(changes);
    expect(vault.diffText(kept, changes).length).toBeGreaterThan(5);

    const done = vault.putBack(kept, changes, { evidence });
    expect(done.problems).toEqual([]);
    expect(done.restored).toEqual(changes.map(({ path }) => path));
    expect(vault.changes(kept, { thorough: true })).toEqual([]);
    expect(onlyProtected(picture(root))).toEqual(onlyProtected(before));
    expect(withoutProtected(picture(root))).toEqual(free);
    expect(picture(outside)).toEqual(elsewhere);
    for (const one of done.evidence) expect(one.startsWith(`${evidence}/`)).toBe(true);
    if (changes.some(({ how }) => how === 'added' || how === 'changed' || how === 'type'))
      expect(done.evidence.length).toBeGreaterThan(0);
  });

  it('finds them also in what another process kept', async () => {
    const { root, dir, evidence, vault, agent } = await rig();
    const { digest } = vault.keep(protect);
    agent('echo 9 > eval/score.py');
    const later = await openVault({ root, dir });
    const kept = later.load(digest);
    const changes = later.changes(kept);
    expect(changes).toEqual([{ path: 'eval/score.py', how: 'changed' }]);
    expect(later.putBack(kept, changes, { evidence }).problems).toEqual([]);
    expect(readFileSync(`${root}/eval/score.py`, 'utf8')).toBe(files['eval/score.py']);
  });
});
