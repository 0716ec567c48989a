import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Project } from '../support/project.js';

const said = (files: readonly unknown[], more: object = {}): string =>
  `echo '${JSON.stringify({ outcome: 'done', summary: 'wrote it', files, ...more })}'`;
const wrote = 'mkdir -p src; date +%N > src/a.py';

/** One stage whose agent is a script; `stage` is more of it. */
function study(coder: string, stage: object = {}): Project {
  const project = new Project({
    'autoresearch.config.json': JSON.stringify({
      name: 'study',
      agents: { coder: { backend: 'command', run: './coder.sh', family: 'x', limits: { usd: 1 } } },
      stages: {
        implement: { uses: 'agent', agent: 'coder', with: { instructions: 'go' }, outputs: ['src/a.py'], ...stage },
      },
    }),
    'src/old.py': 'x',
    'lib/b.py': 'x',
  });
  writeFileSync(join(project.dir, 'coder.sh'), `#!/bin/sh\ncat > prompt.txt\n${coder}\n`);
  chmodSync(join(project.dir, 'coder.sh'), 0o755);
  return project;
}

const exec = (project: Project) => project.run('exec', '--reporter', 'plain');
const wrong = (project: Project): unknown[] =>
  project.journal().flatMap(({ type, detail }) => (type === 'agent-validation-failed' ? [detail] : []));

describe('a file that a reply says was changed', () => {
  const scope = { scope: ['src/**'] };
  const changed = '(what has is prompt.txt, src/a.py)';
  const own = { scope: ['src/**', 'prompt.txt'] };

  it.each([
    ['is not there', ['src/b.py'], `src/b.py, which is not there ${changed}`, {}],
    [
      'was left as it was',
      ['src/a.py', { path: 'src/old.py', lines: '1-2' }],
      `src/old.py, which has not changed ${changed}`,
      {},
    ],
    ['is outside of the project', ['../b.py'], `../b.py, which is outside of the project ${changed}`, {}],
    [
      'is outside of it, by its whole path',
      ['/etc/passwd'],
      `/etc/passwd, which is outside of the project ${changed}`,
      {},
    ],
    [
      'leads out of it and back',
      ['src/../../x/src/a.py'],
      `src/../../x/src/a.py, which is outside of the project ${changed}`,
      {},
    ],
    ['is outside of the scope', ['lib/b.py'], `lib/b.py, which it may not write ${changed}`, own],
    ['is a pattern', ['src/*.py'], `src/*.py, which is not there ${changed}`, {}],
    ['is all of it', ['.'], `., which is outside of the project ${changed}`, {}],
  ])(
    'and that %s is no change: it is asked to correct itself, and has failed then',
    async (_name, files, words, more) => {
      const project = study(`${wrote}; ${said(files)}`, more);
      const { code, stdout } = await exec(project);
      const detail = `"files" says that it changed ${words}`;
      expect([code, wrong(project)]).toEqual([1, [detail, detail, detail]]);
      expect(stdout).toContain(`its reply could not be used: ${detail}`);
      expect(project.read('prompt.txt')).toContain(`Your last answer could not be used: ${detail}.`);
    },
  );

  it('and was not, may be taken back', async () => {
    const project = study(
      `if grep -q 'could not be used' prompt.txt; then ${said(['src/a.py'])}; else ${wrote}; ${said(['b'])}; fi`,
    );
    expect((await exec(project)).code).toBe(0);
    expect(wrong(project)).toHaveLength(1);
  });

  it('where nothing was changed at all, is told so', async () => {
    const project = study('', scope);
    writeFileSync(join(project.dir, 'coder.sh'), `#!/bin/sh\n${said(['src/old.py'])}\n`);
    expect((await exec(project)).code).toBe(1);
    expect(wrong(project)[0]).toBe('"files" says that it changed src/old.py, which has not changed (nothing has)');
  });
});

describe('what a reply may well say', () => {
  it.each([
    ['a file that it wrote, by its whole path', `${wrote}; ${said(['ROOT/src/a.py'])}`, {}],
    ['a file that it took away', `${wrote}; rm src/old.py; ${said(['src/a.py', 'src/old.py'])}`, {}],
    ['a folder that it wrote into', `${wrote}; ${said(['src/', './src'])}`, {}],
    [
      'a file as seen from the folder that it works in',
      `cd ..; ${wrote}; ${said(['a.py', 'src/a.py'])}`,
      { cwd: 'src' },
    ],
    ['nothing', `${wrote}; ${said([])}`, {}],
    ['a name with signs in it', `${wrote}; echo x > 'src/[a]*.py'; ${said(['src/[a]*.py'])}`, {}],
  ])('%s', async (_name, coder, more) => {
    const project = study('', more);
    const path = 'cwd' in more ? '../coder.sh' : './coder.sh';
    project.write('autoresearch.config.json', project.read('autoresearch.config.json').replace('./coder.sh', path));
    writeFileSync(join(project.dir, 'coder.sh'), `#!/bin/sh\n${coder.replace('ROOT', project.dir)}\n`);
    const { code, stdout } = await exec(project);
    expect([code, wrong(project), stdout]).toEqual([0, [], expect.any(String)]);
  });

  it('that it needs a file it may not write: that is no claim', async () => {
    const coder = said(['lib/none.py'], { outcome: 'escalate', reason: 'scope' });
    const project = study(coder, { scope: ['src/**', 'prompt.txt'] });
    await exec(project);
    expect(wrong(project)).toEqual([]);
  });

  it('what it had written in the try before, also where that came to no reply', async () => {
    const project = study(
      `if test -e tried; then date +%N > src/a.py; ${said(['src/a.py', 'src/c.py'])}; else touch tried; ${wrote}; echo x > src/c.py; exit 3; fi`,
      { retry: { attempts: 2 } },
    );
    expect((await exec(project)).code).toBe(0);
    expect(wrong(project)).toEqual([]);
  });
});
