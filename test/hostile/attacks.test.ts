import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Attack, filesOf, judged, patternOf, shown, withTable } from '../../scripts/hostile-rows.mjs';

const root = resolve(import.meta.dirname, '../..');
const attacks: readonly Attack[] = JSON.parse(readFileSync(join(root, 'test/hostile/attacks.json'), 'utf8'));

/** Every text in quotes: titles, and the words that `each` puts into them. */
const textsIn = (source: string): readonly string[] =>
  [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)].map((found) =>
    (found[1] ?? found[2] ?? found[3] ?? '').replace(/\\(['"`])/g, '$1'),
  );

/** Whether a title stands in a source as it is, or is made there of a pattern and words that stand there, too. */
function isTitled(source: string, title: string): boolean {
  const texts = textsIn(source);
  if (texts.includes(title)) return true;
  return texts.some((text) => {
    const parts = text.split(/%s/);
    if (parts.length < 2 || parts.join('').length < 3) return false;
    const pattern = new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+)')}$`);
    const words = pattern.exec(title)?.slice(1);
    return words?.every((word) => texts.includes(word) || new RegExp(`^ *${word}:`, 'm').test(source)) ?? false;
  });
}

function missingIn(name: string): string | undefined {
  const [file = '', ...titles] = name.split(' > ');
  if (!existsSync(join(root, file))) return `${name}: there is no file ${file}`;
  const source = readFileSync(join(root, file), 'utf8');
  const missing = titles.length < 2 ? name : titles.find((title) => !isTitled(source, title));
  return missing === undefined ? undefined : `${name}: no test is called "${missing}"`;
}

describe('the table of attacks', () => {
  it('names only tests that are there, and some for every attack', () => {
    expect(attacks.filter(({ proof }) => proof.length === 0)).toEqual([]);
    expect(attacks.flatMap(({ proof }) => proof.flatMap((name) => missingIn(name) ?? []))).toEqual([]);
  });

  it('would notice a name that is not there', () => {
    const [name = ''] = attacks[0]!.proof;
    expect(missingIn(name)).toBeUndefined();
    for (const other of [
      name.replace('edited', 'admired'),
      name.replace('protected files', 'files'),
      name.replace('protect.test', 'no.test'),
      name.replace('exactly', 'nearly'),
    ])
      expect(missingIn(other), other).toContain(other);
  });

  it('says of each attack what comes of it, once', () => {
    const names = attacks.map(({ attack }) => attack);
    expect(new Set(names).size).toBe(names.length);
    for (const { attack, plain, fenced } of attacks)
      for (const text of [attack, plain, fenced]) expect(text).toMatch(/^[^|\n]+$/);
  });

  it('is what docs/security.md shows', () => {
    const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
    expect(withTable(page, attacks)).toBe(page);
    expect(withTable(page.replace('| prevented |', '| allowed |'), attacks)).toBe(page);
    expect(withTable(page, attacks.slice(1))).not.toBe(page);
    expect(() => withTable('a page without a place', attacks)).toThrow('docs/security.md has no place for the table');
  });
});

describe('what npm run test:hostile makes of a report', () => {
  const row = (attack: string, ...proof: string[]): Attack => ({
    attack,
    plain: 'detected',
    fenced: 'prevented',
    proof,
  });
  const report = {
    testResults: [
      {
        name: '/lab/test/a.test.ts',
        assertionResults: [
          { ancestorTitles: ['a'], title: 'holds', status: 'passed' },
          { ancestorTitles: ['a'], title: 'breaks', status: 'failed' },
          { ancestorTitles: ['a'], title: 'waits', status: 'skipped' },
          { ancestorTitles: ['a'], title: 'twice', status: 'failed' },
          { ancestorTitles: ['a'], title: 'twice', status: 'passed' },
        ],
      },
    ],
  };
  const rows = [
    row('edits', 'test/a.test.ts > a > holds'),
    row('deletes', 'test/a.test.ts > a > holds', 'test/a.test.ts > a > breaks'),
    row('renames', 'test/a.test.ts > a > waits', 'test/b.test.ts > a > holds'),
    row('links', 'test/a.test.ts > a > twice'),
    row('hides'),
  ];

  it('is a sign for each attack and the count at the end', () => {
    expect(shown(judged(rows, report, '/lab'))).toEqual({
      failed: 4,
      text: [
        '✓ edits',
        '    without a sandbox  detected',
        '    with bubblewrap    prevented',
        '✗ deletes',
        '    without a sandbox  detected',
        '    with bubblewrap    prevented',
        '    ✗ failed: test/a.test.ts > a > breaks',
        '✗ renames',
        '    without a sandbox  detected',
        '    with bubblewrap    prevented',
        '    ✗ did not run: test/a.test.ts > a > waits',
        '    ✗ does not exist: test/b.test.ts > a > holds',
        '✗ links',
        '    without a sandbox  detected',
        '    with bubblewrap    prevented',
        '    ✗ failed: test/a.test.ts > a > twice',
        '✗ hides',
        '    without a sandbox  detected',
        '    with bubblewrap    prevented',
        '    ✗ nothing proves it',
        '',
        '1 passed, 4 failed',
        '',
      ].join('\n'),
    });
  });

  it('asks vitest for those tests, whatever is in their names', () => {
    expect(filesOf(rows)).toEqual(['test/a.test.ts', 'test/b.test.ts']);
    const pattern = new RegExp(patternOf([row('x', 'test/a.test.ts > a (b) > c: d.e')]));
    expect(['a (b) c: d.e', 'a (b) c: dxe', 'a (b) c: d.e too'].map((name) => pattern.test(name))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
