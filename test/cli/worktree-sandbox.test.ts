import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxLevel } from '../../src/adapters/sandbox/sandbox-level.js';
import { nothingLeft, TreeStudy } from './tree-study.js';

const { level } = await sandboxLevel(process.env);

/** Its agent says on `said` what came of its tricks. */
function studyOf(script: string, stage: object = {}): TreeStudy {
  const study = new TreeStudy({
    agents: { a: `(${script}) > src/said 2>&1; date +%N > src/a` },
    more: { sandbox: 'bwrap', protect: ['eval/**', 'keep.bin'] },
    files: { 'src/x': 'x\n', 'eval/score.py': 'score = 0.5\n', seen: 'x\n' },
    stage: { outputs: ['src/a'], ...stage },
    ignored: 'keep.bin\n',
  });
  study.write('keep.bin', 'keep\n');
  // Inside there is no place for notes.
  study.put('coder.sh', study.get('coder.sh').replace(/^echo .*asked"$/m, ''));
  study.commit('no notes');
  return study;
}

const main = '"${PWD%%/.autoresearch/*}"';

describe.skipIf(level === 'none')('an agent in a worktree inside bubblewrap', { timeout: 180_000 }, () => {
  it.each([
    ['the checkout of the person', `echo x > ${main}/seen`],
    ['a new file there', `echo x > ${main}/new`],
    ['the repository', `echo x > ${main}/.git/x`],
    ['the settings of git', 'git config core.hooksPath /tmp'],
    ['a protected file', 'echo 1 > eval/score.py'],
    ['a protected file that is ignored', 'echo 1 > keep.bin'],
    ['a new file beside it', 'echo x > eval/__init__.py'],
    ['a commit', 'git add -A && git -c user.name=x -c user.email=x@y.z commit -qm x'],
    ['its branch', 'git update-ref refs/heads/auto/default-iter-1-a HEAD~0 && git branch x'],
    ['the journal', `echo x >> ${main}/.autoresearch/default/runs/*/journal.jsonl`],
    ['other worktrees', `mkdir ${main}/.autoresearch/default/worktrees/other`],
    ['its .git', 'rm .git && mkdir .git'],
  ])('cannot write %s, and passes on its merits', async (_, trick) => {
    const study = studyOf(`${trick} && echo WROTE`);
    const { code, stdout, stderr } = await study.exec();
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    // What lies below /tmp is not even seen: who writes there writes into a /tmp of its own.
    if (!trick.startsWith(`echo x > ${main}/`)) expect(study.read('src/said')).not.toContain('WROTE');
    expect(study.left()).toEqual(nothingLeft);
    expect(study.read('seen')).toBe('x\n');
  });

  it('sees what it needs, and nothing of the state', async () => {
    const study = studyOf(
      `cat eval/score.py keep.bin; ls -A ${main}/.autoresearch/default; ls ${main}/.autoresearch/default/runs`,
    );
    const { code, stdout, stderr } = await study.exec();
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    const said = study.read('src/said');
    expect(said).toContain('score = 0.5\nkeep\n');
    expect(said).not.toContain('journal');
    expect(said).not.toContain('ledger');
  });

  it('with a scope it writes there only', async () => {
    const study = studyOf('echo x > stray && echo WROTE', { scope: ['src/**'] });
    const { code, stdout, stderr } = await study.exec();
    expect(`${code} ${stdout}${stderr}`).toMatch(/^0 /);
    expect(study.read('src/said')).not.toContain('WROTE');
    expect(existsSync(join(study.dir, 'stray'))).toBe(false);
  });
});
