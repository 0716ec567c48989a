import { lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolated, nothingLeft, type TreeSketch, TreeStudy } from './tree-study.js';

const slow = { timeout: 180_000 };

interface More extends Partial<TreeSketch> {
  readonly stage?: object;
  readonly attributes?: string;
  /** Settings of the repository. */
  readonly settings?: readonly (readonly [string, string])[];
}

/** One task whose agent writes its output, plays its trick, and is checked. */
const study = (trick: string, verify: string, { stage, attributes, settings = [], files, ...more }: More = {}) => {
  const rules = attributes === undefined ? {} : { '.gitattributes': `${attributes}\n` };
  const own = new TreeStudy({
    agents: { a: `echo a > a.sh; ${trick}` },
    stages: { a: isolated({ with: { instructions: 'x', verify }, outputs: ['a.sh'], ...stage }) },
    files: { 'src/main.sh': 'true\n', ...rules, ...files },
    ...more,
  });
  for (const [name, value] of settings) own.git('config', name, value);
  return own;
};

const tree = (own: TreeStudy): string => join(own.trees, 'default-iter-1-a');
const attempt = (own: TreeStudy): string => {
  const [{ run } = {}] = own.events('run-started') as { run?: string }[];
  return join(own.dir, `.autoresearch/default/runs/${run}/tasks/a/1`);
};
/** What somebody gets who checks the branch out. */
const cloned = (own: TreeStudy): string => {
  own.git('clone', '-q', own.dir, `${own.dir}.home/clone`);
  return `${own.dir}.home/clone`;
};

/** What it writes, what git makes of it, and a check that passes with the first alone. */
const tricks: readonly (readonly [string, string, string, string, More])[] = [
  [
    'line ends that go',
    `printf 'x\\r\\n' > src/x.txt`,
    `test "$(wc -c < src/x.txt)" = 3`,
    'src/x.txt',
    { attributes: '*.txt text' },
  ],
  [
    'line ends that come',
    `printf 'x\\n' > src/x.txt`,
    `test "$(wc -c < src/x.txt)" = 2`,
    'src/x.txt',
    { attributes: '*.txt text eol=crlf' },
  ],
  [
    'line ends by a setting',
    `printf 'x\\n' > src/x.txt`,
    `test "$(wc -c < src/x.txt)" = 2`,
    'src/x.txt',
    { attributes: '*.sh -text', settings: [['core.autocrlf', 'true']] },
  ],
  ['an id', `echo '$Id$' > src/x`, `grep -Fx '$Id$' src/x`, 'src/x', { attributes: 'src/x ident' }],
  ['an id of its own', `echo '$Id: 7 $' > src/x`, `grep ' 7 ' src/x`, 'src/x', { attributes: 'src/x ident' }],
  [
    'another order of bytes',
    `printf '\\376\\377\\0h\\0i' > src/x.u16`,
    `printf '\\376\\377\\0h\\0i' | cmp - src/x.u16`,
    'src/x.u16',
    { attributes: '*.u16 text working-tree-encoding=UTF-16' },
  ],
  [
    'a mode that git does not see',
    'echo true > src/x; chmod +x src/x',
    './src/x',
    'src/x',
    { settings: [['core.fileMode', 'false']] },
  ],
  [
    'a link where there are none',
    'ln -s main.sh src/x',
    'test -L src/x',
    'src/x',
    { settings: [['core.symlinks', 'false']] },
  ],
  [
    'rules that it changes itself, for files that were there',
    `echo 'src/* text eol=crlf' > .gitattributes`,
    `test "$(wc -c < src/main.sh)" = 5`,
    'src/main.sh',
    {},
  ],
];

describe('a check that passes only with what git makes something else of', slow, () => {
  it.each(tricks)('%s: fails, and is told; what was written is kept', async (_, trick, verify, file, more) => {
    const own = study(trick, verify, more);
    const { code, stdout } = await own.exec();
    expect(stdout).toMatch(/\n✗ a {2}exited with code \d+ \(it was checked with .* as a checkout gives it\)/);
    expect(stdout).toContain(file);
    expect(code).toBe(1);
    expect(own.filesOf('main')).not.toContain('a.sh');
    expect(lstatSync(join(attempt(own), 'as-written', file))).toBeTruthy();
  });
});

describe('a filter that this machine has a program for', slow, () => {
  const settings = [
    ['filter.xx.clean', 'cat'],
    ['filter.xx.smudge', 'sed s/2/3/'],
  ] as const;
  const rule = `echo '*.txt filter=xx' > src/.gitattributes`;
  const words = 'src/x.txt: its attributes make git run the filter "xx" on it';

  it('is not given to its files by an agent', async () => {
    const own = study(`echo 2 > src/x.txt; ${rule}`, 'grep -q 2 src/x.txt', { settings });
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(words);
    expect(code).toBe(1);
    expect(own.filesOf('main')).not.toContain('src/.gitattributes');
  });

  it('nor by what checks run', async () => {
    const own = study('echo 2 > src/x.txt', `grep -q 2 src/x.txt; ${rule}`, { settings });
    const { code, stdout } = await own.exec();
    expect(stdout).toContain('src/x.txt cannot be committed: its attributes make git run the filter "xx" on it');
    expect(code).toBe(1);
    expect(own.filesOf('main')).not.toContain('src/.gitattributes');
  });
});

describe('what is checked is what a checkout gives', slow, () => {
  it.each(tricks)('%s: as it will be, and told in one line', async (_, trick, verify, file, more) => {
    const own = study(trick, `! { ${verify}; }`, more);
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(stdout.match(/git keeps .* otherwise than written/g)).toHaveLength(1);
    expect(stdout).toContain(`${file} otherwise than written (line ends, $Id$, encoding or mode), so what was checked`);
    expect(own.left()).toEqual(nothingLeft);
    // And so says whoever has the branch.
    const fresh = cloned(own);
    for (const [name, value] of more.settings ?? []) own.gitIn(fresh, 'config', name, value);
    own.gitIn(fresh, 'rm', '-q', '--cached', '-r', '.');
    own.gitIn(fresh, 'reset', '-q', '--hard');
    // What lies there already git writes again only when its content changes.
    if (!own.git('diff', '--name-only', 'HEAD~1', 'HEAD').split('\n').includes(file)) return;
    expect(readFileSync(join(own.dir, file))).toEqual(readFileSync(join(fresh, file)));
    expect(statSync(join(own.dir, file)).mode & 0o111).toBe(statSync(join(fresh, file)).mode & 0o111);
  });

  it('and nothing is said where git changes nothing', async () => {
    const own = study(`printf 'x\\r\\n' > src/x.txt; printf 'x\\n' > src/y.txt; chmod +x src/y.txt`, 'true', {
      attributes: '*.md text eol=crlf\nsrc/x.txt -text',
    });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(stdout).not.toContain('otherwise than written');
    expect(own.read('src/x.txt')).toBe('x\r\n');
  });

  it('the agent that is asked again finds what was checked, and both versions are kept', async () => {
    const own = study(
      `echo "$(wc -c < src/x.txt 2>/dev/null || echo 0)" >> ../../../seen; printf 'x\\r\\ny\\r\\n' > src/x.txt`,
      'test "$(wc -l < ../../../seen)" = 2',
      {
        attributes: '*.txt text',
        stage: { retry: { attempts: 2 } },
      },
    );
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(own.read('.autoresearch/seen')).toBe('0\n4\n');
    expect(readFileSync(join(attempt(own), 'as-written/src/x.txt'), 'utf8')).toBe('x\r\ny\r\n');
  });
});

describe('what no commit can hold as it was checked', slow, () => {
  const refused = async (own: TreeStudy, words: string): Promise<void> => {
    const { code, stdout } = await own.exec();
    expect(stdout).toContain(words);
    expect(code).toBe(1);
    expect(own.events('worktree-merged')).toEqual([]);
    expect(own.filesOf('main')).not.toContain('a.sh');
    expect(own.treeFolders()).toEqual(['default-iter-1-a']);
  };

  it('bytes in another encoding than the rules say', () =>
    refused(
      study(`printf 'abc' > src/x.u16`, 'true', { attributes: '*.u16 text working-tree-encoding=UTF-16LE-BOM' }),
      "✗ a  src/x.u16: git cannot take it in (failed to encode 'src/x.u16' from UTF-16LE-BOM to UTF-8); write it with the encoding and the line ends that .gitattributes and the settings of git ask for",
    ));

  it('line ends that git is told not to lose', () =>
    refused(
      study(`printf 'x\\r\\ny\\n' > src/x.txt`, 'true', {
        attributes: '*.txt text',
        settings: [['core.safecrlf', 'true']],
      }),
      '✗ a  src/x.txt: git cannot take it in (CRLF would be replaced by LF in src/x.txt)',
    ));

  it.each([
    ['that git ignores', 'echo ".gitattributes" >> .gitignore; echo "* text" > src/.gitattributes'],
    [
      'that the repository is told to ignore',
      'echo .gitattributes >> "$(git rev-parse --git-common-dir)/info/exclude"; echo "* text" > src/.gitattributes',
    ],
  ])('rules %s', (_, trick) =>
    refused(
      study(`${trick}; printf 'x\\r\\n' > src/x.txt`, 'test "$(wc -c < src/x.txt)" = 3'),
      '✗ a  src/.gitattributes: it says what git makes of the files beside and below it, and is in no commit itself; commit it with the rest, or take it away',
    ),
  );

  it('rules that the checks themselves leave behind', () =>
    refused(
      study(`printf 'x\\r\\n' > src/x.txt`, 'echo "* text" > src/.gitattributes', { ignored: '.gitattributes\n' }),
      'src/.gitattributes says what git makes of the files beside and below it, and is in no commit itself',
    ));

  it('rules for what is protected, which would not be what is protected any more', async () => {
    const own = study(`echo 'eval/* text eol=crlf' > .gitattributes`, 'true', {
      files: { 'eval/score.txt': 'x\n' },
      more: { protect: ['eval/**'] },
    });
    await refused(own, '✗ a  eval/score.txt: a checkout would give other bytes or another mode than what is there');
    expect(readFileSync(join(tree(own), 'eval/score.txt'), 'utf8')).toBe('x\n');
  });
});

describe('a link that works only in the worktree', slow, () => {
  it.each([
    ['absolute', 'ln -s "$PWD/src/main.sh" src/x'],
    ['absolute, to a folder', 'ln -s "$PWD" src/x'],
    ['to what is not there yet', 'ln -s "$PWD/src/later" src/x'],
    ['that climbs out and comes back', 'ln -s "../../$(basename "$PWD")/src/main.sh" src/x'],
    ['by another way', 'ln -s "$PWD" ../../../other; ln -s "$(cd ../../..; pwd)/other/src/main.sh" src/x'],
  ])('%s: fails before the checks, with the fix', async (_, trick) => {
    const own = study(trick, 'touch ../../../checked');
    const { code, stdout } = await own.exec();
    expect(stdout).toMatch(
      /✗ a {2}.*src\/x: a link to .*, which is in a worktree, and gone once the work is merged; make it relative/,
    );
    expect([code, own.exists('.autoresearch/checked'), own.filesOf('main').includes('src/x')]).toEqual([
      1,
      false,
      false,
    ]);
    expect(lstatSync(join(tree(own), 'src/x')).isSymbolicLink()).toBe(true);
  });

  it('the next attempt is told, and a relative one passes', async () => {
    const trick = 'if [ -L src/x ]; then rm src/x; ln -s main.sh src/x; else ln -s "$PWD/src/main.sh" src/x; fi';
    const own = study(trick, 'sh src/x', { stage: { retry: { attempts: 2 } } });
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect([own.timesAsked(), readlinkSync(join(own.dir, 'src/x'))]).toEqual([['a', 'a'], 'main.sh']);
  });

  it('is not one that leads elsewhere, nor one that was there before', async () => {
    const own = study(
      'ln -s /dev/null src/null; ln -s ../a.sh src/up',
      'test -e src/null && sh src/up; test -e src/up',
    );
    const { code, stdout } = await own.exec();
    expect(`${code} ${stdout}`).toMatch(/^0 /);
    expect(readlinkSync(join(own.dir, 'src/null'))).toBe('/dev/null');
  });
});
