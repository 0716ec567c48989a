import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openVault } from '../../../src/adapters/vault/vault.js';
import { onlyProtected, picture, protect, withoutProtected } from './vault-rig.js';

const places = [
  'eval',
  'eval/a',
  'eval/b',
  'eval/sub',
  'eval/sub/c',
  'eval/new',
  'eval/new/d',
  'design',
  'design/metrics.yaml',
  'design/free',
  'src',
  'src/x',
];

/**
 * Each as an agent would; what cannot be done in the state that the tree has got into is not done. The tests may run as
 * root, so every link stays in the folders of the test: no target is above the project or elsewhere on the machine. Nobody
 * reads from a pipe, so nothing is written into one.
 */
const operation = fc.oneof(
  fc.tuple(fc.constantFrom('rm -rf', 'mkdir -p', 'mkfifo'), place()).map(words),
  fc
    .tuple(fc.constantFrom('echo more >>', 'echo new >', 'touch'), place())
    .map(([how, at]) => `[ -p ${at} ] || ${how} ${at}`),
  fc
    .tuple(
      fc.constantFrom('mv -T', 'cp --remove-destination -rT', 'cp --remove-destination -aT', 'ln', 'ln -sfn'),
      place(),
      place(),
    )
    .map(words),
  fc
    .tuple(fc.constantFrom('ln -sfn $OUT', 'ln -sfn $OUT/file', 'ln -sfn $ROOT/src', 'ln -sfn $ROOT/eval'), place())
    .map(words),
  fc.tuple(fc.constantFrom('chmod 000', 'chmod 777', 'chmod 4711', 'chmod 500'), place()).map(words),
);

function place(): fc.Arbitrary<string> {
  return fc.constantFrom(...places);
}

function words(parts: readonly string[]): string {
  return parts.join(' ');
}

it('whatever is done to a tree, the protected part is put back and nothing else is touched', {
  timeout: 120_000,
}, async () => {
  const act = async (script: readonly string[], kind: 'stamps' | 'digests'): Promise<void> => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'vault-random-')));
    const [root, out] = [join(home, 'project'), join(home, 'out')];
    const sh = (text: string, cwd: string): void => {
      const env = { PATH: process.env.PATH ?? '', OUT: out, ROOT: root };
      execFileSync('bash', ['--norc', '-c', `${text}\ntrue`], { cwd, env, timeout: 10_000, stdio: 'ignore' });
    };
    sh('mkdir -p out project/eval/sub project/design project/src; echo 1 > out/file', home);
    sh('for f in eval/a eval/sub/c design/metrics.yaml design/free src/x; do echo $f > $f; done; ln -s a eval/b', root);
    const vault = await openVault({ root, dir: join(home, 'vault') });
    const kept = vault.keep(protect);
    const before = onlyProtected(picture(root));
    sh(script.join('\n'), root);
    const [free, outside] = [withoutProtected(picture(root)), picture(out)];
    const changes = vault.changes(kept, { thorough: kind === 'digests' });
    const { problems } = vault.putBack(kept, changes, { evidence: join(home, 'evidence') });
    expect(problems).toEqual([]);
    expect(onlyProtected(picture(root))).toEqual(before);
    expect(withoutProtected(picture(root))).toEqual(free);
    expect(picture(out)).toEqual(outside);
    sh('chmod -R u+rwx . ; rm -rf project out vault evidence', home);
  };
  // Found once: a copy for evidence changed the mode of the file's other name, which is nobody's here.
  const examples: [string[], 'stamps'][] = [
    [['ln eval/a src/y', 'echo 9 > src/y', 'chmod 000 src/y'], 'stamps'],
    [['rm -rf design/metrics.yaml', 'mv -T eval design/metrics.yaml', 'ln -sfn $OUT eval'], 'stamps'],
  ];
  const scripts = fc.array(operation, { minLength: 1, maxLength: 12 });
  await fc.assert(fc.asyncProperty(scripts, fc.constantFrom('stamps', 'digests'), act), { numRuns: 150, examples });
});
