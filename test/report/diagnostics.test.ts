import { describe, expect, test } from 'vitest';
import type { LocatedDiagnostic } from '../../src/model/diagnostic.js';
import { diagnosticsText } from '../../src/report/reference/diagnostics.js';
import { golden } from './golden.js';

const plain = (...diagnostics: LocatedDiagnostic[]): string =>
  diagnosticsText(diagnostics, { color: false, width: 80, cwd: '/lab' });

/** Points at a word of a line, as `config/locate` would. */
function at(word: string, text: string, line: number): NonNullable<LocatedDiagnostic['place']> {
  const start = text.indexOf(word);
  if (start < 0) throw new Error(`${word} is not in ${text}`);
  return { file: '/lab/autoresearch.config.yaml', line, column: start + 1, endColumn: start + word.length + 1, text };
}

const misspelt: LocatedDiagnostic = {
  code: 'AR201',
  message: 'unknown key "stagess"',
  hint: 'Did you mean "stages"?',
  place: at('stagess', 'stagess:', 3),
};

describe('diagnosticsText', () => {
  test('nothing wrong, nothing said', () => {
    expect(plain()).toBe('');
  });

  test('one problem', () => {
    expect(plain(misspelt)).toMatchInlineSnapshot(`
      "autoresearch.config.yaml:3:1 AR201 unknown key "stagess"
        3 | stagess:
          | ^~~~~~~
          hint: Did you mean "stages"?

      1 problem. Run autoresearch explain AR201 for more.
      "
    `);
  });

  test('all the forms that a place can have', async () => {
    await golden(
      'diagnostics-places.txt',
      plain(
        {
          code: 'AR502',
          message: '"results/out.json" is written by two tasks',
          hint: 'Put the seed into the path: results/{{matrix.seed}}.json',
          place: at('results/out.json', '    outputs: [results/out.json]', 118),
          relatedPlaces: [
            { message: 'is written here first', place: at('results/out.json', '    outputs: [results/out.json]', 7) },
          ],
        },
        {
          code: 'AR301',
          message: 'unknown stage "prep"',
          place: { file: '/lab/autoresearch.config.ts', pointer: '/stages/train/needs/0' },
        },
        { code: 'AR303', message: 'unknown agent "codr"', at: { kind: 'config', pointer: '/stages/train/agent' } },
        {
          code: 'AR602',
          message: 'unknown option --jbos',
          hint: 'Did you mean "--jobs"?',
          at: { kind: 'argument', argument: '--jbos' },
        },
        { code: 'AR103', message: 'the file is empty', at: { kind: 'file', file: '/elsewhere/preset.yaml' } },
        { code: 'AR101', message: 'no config found', hint: 'Run autoresearch init to make one' },
        {
          code: 'AR107',
          message: 'presets extend each other in a circle',
          related: [
            { message: 'extended from here', at: { kind: 'file', file: '/lab/a.yaml', pointer: '/extends/0' } },
          ],
        },
      ),
    );
  });

  test('tabs, wide characters, emoji and hidden characters are underlined where they are seen', async () => {
    await golden(
      'diagnostics-unicode.txt',
      plain(
        { code: 'AR201', message: 'after a tab', place: at('neds', '\t\tneds: [数据]', 1) },
        { code: 'AR301', message: 'wide characters', place: at('数据', '  needs: [数据, b]', 2) },
        { code: 'AR301', message: 'after wide characters', place: at('xyz', '  # 数据数据 👍 xyz', 3) },
        { code: 'AR301', message: 'a family of emoji', place: at('👩‍👩‍👧', 'name: 👩‍👩‍👧 # one', 4) },
        { code: 'AR301', message: 'accents written apart', place: at('bad', 'cafe\u0301: bad', 5) },
        { code: 'AR204', message: 'text that runs backwards', place: at('admin', 'role: \u202Eadmin', 6) },
        { code: 'AR103', message: 'an escape sequence', place: at('x', '\u001B[31mx', 7) },
      ),
    );
  });

  test('a long line is cut around the place', async () => {
    const long = `  run: node ${'--option value '.repeat(40)}--sede 7 ${'--more value '.repeat(40)}`;
    await golden(
      'diagnostics-long.txt',
      plain(
        { code: 'AR402', message: 'in the middle', place: at('--sede', long, 12) },
        { code: 'AR402', message: 'at the beginning', place: at('run', long, 12) },
        {
          code: 'AR402',
          message: 'at the end',
          place: { ...at('run', long, 12), column: long.length - 2, endColumn: long.length + 1 },
        },
        {
          code: 'AR402',
          message: 'longer than the window',
          place: { ...at('node', long, 12), endColumn: long.length },
        },
        {
          code: 'AR402',
          message: 'in a megabyte',
          place: at('HERE', `${'x'.repeat(500_000)} HERE ${'y'.repeat(500_000)}`, 1),
        },
        {
          code: 'AR402',
          message: 'among wide characters',
          place: at('这里', `${'数据'.repeat(60)}这里${'数据'.repeat(60)}`, 1),
        },
      ),
    );
  });

  test('places that do not fit the text are still shown', () => {
    const place = { file: 'c.yaml', line: 1, text: 'ab', column: 9, endColumn: 20 };
    expect(plain({ code: 'AR103', message: 'behind the end', place })).toContain('  1 | ab\n    |   ^\n');
    expect(plain({ code: 'AR103', message: 'at the end', place: { ...place, column: 3, endColumn: 3 } })).toContain(
      '  1 | ab\n    |   ^\n',
    );
    expect(plain({ code: 'AR103', message: 'empty line', place: { ...place, text: '', column: 1 } })).toContain(
      '  1 |\n    | ^\n',
    );
    const { endColumn: _, ...noEnd } = place;
    expect(plain({ code: 'AR103', message: 'no end', place: { ...noEnd, column: 1 } })).toContain(
      '  1 | ab\n    | ^\n',
    );
  });

  test('a message never breaks out of its line', () => {
    expect(plain({ code: 'AR104', message: 'it threw:\n  Error: no\n' })).toContain('AR104 it threw: Error: no');
  });

  test('many problems are all there, with the codes to look up', () => {
    const many = Array.from(
      { length: 500 },
      (_, index): LocatedDiagnostic => ({
        ...misspelt,
        code: index % 2 ? 'AR201' : 'AR203',
        place: at('stagess', 'stagess:', index + 1),
      }),
    );
    const text = plain(...many);
    expect(text.match(/unknown key "stagess"/g)).toHaveLength(500);
    expect(text.endsWith('\n500 problems. Run autoresearch explain AR203 for more (also AR201).\n')).toBe(true);
  });

  const ofTask = (seed: number): LocatedDiagnostic => ({
    code: 'AR503',
    message: `the output runs/${seed}.json is protected`,
    hint: 'Write elsewhere',
    place: at('runs/{{matrix.seed}}.json', 'outputs: [runs/{{matrix.seed}}.json]', 7),
  });

  test('what every task of a stage does wrong at one place is told once', () => {
    expect(plain(...Array.from({ length: 600 }, (_, index) => ofTask(index)), misspelt)).toMatchInlineSnapshot(`
      "autoresearch.config.yaml:7:11 AR503 the output runs/0.json is protected
        7 | outputs: [runs/{{matrix.seed}}.json]
          |           ^~~~~~~~~~~~~~~~~~~~~~~~~
          hint: Write elsewhere
          … and 599 more like it at this place

      autoresearch.config.yaml:3:1 AR201 unknown key "stagess"
        3 | stagess:
          | ^~~~~~~
          hint: Did you mean "stages"?

      601 problems. Run autoresearch explain AR503 for more (also AR201).
      "
    `);
  });

  test('a few problems at one place are all told, and so is whatever is to be mended otherwise', () => {
    const text = plain(
      ofTask(1),
      ofTask(2),
      ofTask(3),
      ...[1, 2, 3, 4].map((one) => ({ ...ofTask(one), hint: `${one}` })),
    );
    expect(text.match(/is protected/g)).toHaveLength(7);
    expect(text).not.toContain('more like it');
  });

  test('fits into a narrow terminal: words go on below, and marks stand under what they mark', () => {
    const narrow = diagnosticsText(
      [
        {
          code: 'AR402',
          message: 'unknown name "matrix.sed" in the command of the stage that trains',
          hint: 'Did you mean "matrix.seed"? It is one of the names that the matrix of this stage has',
          place: at(
            'matrix.sed}}',
            'run: python3 train.py {{matrix.arm}} {{matrix.sed}} out/runs/{{matrix.arm}}.json',
            22,
          ),
        },
      ],
      { color: false, width: 50, cwd: '/lab' },
    );
    expect(
      Math.max(
        ...narrow
          .split('\n')
          .slice(0, -3)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(50);
    expect(narrow).toMatchInlineSnapshot(`
      "autoresearch.config.yaml:22:40 AR402 unknown name
          "matrix.sed" in the command of the stage that
          trains
       22 | …atrix.arm}} {{matrix.sed}} out/runs/{{matr…
          |                ^~~~~~~~~~~~
          hint: Did you mean "matrix.seed"? It is one of
          the names that the matrix of this stage has

      1 problem. Run autoresearch explain AR402 for more.
      "
    `);
  });

  test('what a file says cannot steer the terminal', () => {
    expect(plain({ code: 'AR201', message: 'unknown key "\u001B[2Jx"' })).toContain('AR201 unknown key "x"');
  });

  test('colours', async () => {
    await golden('diagnostics-colour.txt', diagnosticsText([misspelt], { color: true }));
  });
});
