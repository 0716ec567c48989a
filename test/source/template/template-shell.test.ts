// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text is full of them
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { shellQuote } from '../../../src/source/shell-quote.js';
import { loadTemplates } from '../../../src/source/template/template.js';

const templates = await loadTemplates();
/** Often one of them is another under a second name. */
const shells = [
  ...new Set(
    ['/bin/sh', '/bin/bash', '/bin/dash'].filter((shell) => existsSync(shell)).map((shell) => realpathSync(shell)),
  ),
];

const render = (text: string, value: Json) => templates.render(text, { x: value, y: 'second' }, { mode: 'shell' });

/** The rendered text, or the code of the first problem. */
function rendered(text: string, value: Json): string {
  const result = render(text, value);
  return result.ok ? String(result.value.value) : result.error[0]!.code;
}

const run = (shell: string, text: string): string =>
  execFileSync(shell, ['-c', text], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, VAR: '<var>', HOME: '/home/me' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Texts that try to get out of wherever they are put. */
const hostile = fc.oneof(
  fc
    .string({ unit: 'binary', minLength: 0, maxLength: 12 })
    .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text),
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '$',
        '\\',
        '\n',
        ' ',
        '(',
        ')',
        '{',
        '}',
        '#',
        ';',
        '&',
        '|',
        '<',
        '>',
        '*',
        '?',
        '[',
        ']',
        '~',
        '!',
        '=',
        '%',
        '-',
        'EOF',
        '\nEOF\n',
        '$(echo pwned)',
        '`echo pwned`',
        "'; echo pwned; '",
        '"; echo pwned; "',
        '${VAR}',
        '$VAR',
        '\t',
        '\r',
        'if',
        'case',
        'esac',
        'é',
        '😀',
        '2',
        '\\\n',
        "$'",
        '))',
        '}}',
        '{{x}}',
        '-n',
        '--',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    '-n',
    '-e',
    '--',
    '~',
    '~root',
    '-',
    '',
    ' ',
    '\n',
    '$HOME',
    '*',
    '/*',
    '[a-z]',
    '!',
    '!!',
    '2',
    'if',
    'a=b',
    '#',
    '\\',
    "\\'",
  ),
);

/** Where a value may stand, and what the shell must print for it. */
const contexts: readonly (readonly [template: string, expected: (value: string) => string])[] = [
  ['printf %s {{x}}', (v) => v],
  ['printf %s "{{x}}"', (v) => v],
  ["printf %s '{{x}}'", (v) => v],
  ['printf %s a{{x}}b', (v) => `a${v}b`],
  ['printf %s {{x}}{{x}}', (v) => v + v],
  ['printf %s {{x}}={{x}}', (v) => `${v}=${v}`],
  ['printf %s "a"{{x}}\'b\'', (v) => `a${v}b`],
  ['printf %s $VAR{{x}}', (v) => `<var>${v}`],
  ['printf %s "$VAR{{x}}"', (v) => `<var>${v}`],
  ['printf %s "\\$VAR{{x}}"', (v) => `$VAR${v}`],
  ['printf %s "$VA\\\nR{{x}}"', (v) => `<var>${v}`],
  ['printf %s "${VAR}{{x}}"', (v) => `<var>${v}`],
  ['printf %s ~{{x}}', (v) => `~${v}`],
  ['printf %s $(printf %s {{x}}. )', (v) => (v === '' ? '.' : `${v}.`)],
  ['printf %s "$(printf %s {{x}}.)"', (v) => `${v}.`],
  ['printf %s "$(printf %s "{{x}}.")"', (v) => `${v}.`],
  ['printf %s "$(printf %s \'{{x}}.\')"', (v) => `${v}.`],
  ['printf %s "$( (printf %s "$(printf %s {{x}}.)") )"', (v) => `${v}.`],
  ['printf %s "\\"{{x}}\\""', (v) => `"${v}"`],
  ['printf %s \\"{{x}}\\"', (v) => `"${v}"`],
  ["true a\r#'b'; printf %s {{x}}", (v) => v],
  ["# it's a comment\nprintf %s {{x}}", (v) => v],
  ['true a#b; printf %s {{x}}', (v) => v],
  ['cat >/dev/null <<EOF\nit\'s "\nEOF\nprintf %s {{x}}', (v) => v],
  ["cat >/dev/null <<-'EOF'\n\tit's \"\n\tEOF\nprintf %s {{x}}", (v) => v],
  ['cat >/dev/null <<A; cat >/dev/null <<B\n"\nA\n\'\nB\nprintf %s {{x}}', (v) => v],
  ['case a in a) printf %s {{x}};; esac', (v) => v],
  ['if true; then printf %s {{x}} | cat; fi', (v) => v],
  ['printf %s {{x}}>&1', (v) => v],
  ['for i in {{x}}; do printf %s "$i"; done', (v) => v],
  ['f() { printf %s "$1"; }; f {{x}}', (v) => v],
  ['A={{x}}; printf %s "$A"', (v) => v],
  ['A="b{{x}}" sh -c \'printf %s "$A"\'', (v) => `b${v}`],
  ['printf %s {{x}} \\\n  # end', (v) => v],
  ['echo $(( 1 + 2 )) >/dev/null; printf %s {{x}}', (v) => v],
  ['printf %s "${NONE:-d}"{{x}}', (v) => `d${v}`],
  ["printf %s ${NONE:-'}'}{{x}}", (v) => `}${v}`],
  ['printf %s "$#"{{x}}', (v) => `0${v}`],
  ['printf %s $#{{x}}', (v) => `0${v}`],
  ['printf %s `echo "a"`"{{x}}"', (v) => `a${v}`],
];

describe('a value in shell text', () => {
  test.each(shells)('is printed exactly as it is by %s, whatever it holds and wherever it stands', (shell) => {
    fc.assert(
      fc.property(fc.constantFrom(...contexts), hostile, ([template, expected], value) => {
        // A substitution drops line breaks at its end; the contexts end it with a dot where that matters.
        const word = template.includes('$(printf %s {{x}}. )') ? value.replace(/[\s*?[\]\\]/g, '_') : value;
        const result = render(template, word);
        expect(result, template).toMatchObject({ ok: true });
        if (result.ok) expect(run(shell, String(result.value.value))).toBe(expected(word));
      }),
      { numRuns: 300 },
    );
  });

  test.each(shells)('never runs as code in %s, also in places where only harmless values may stand', (shell) => {
    const unsafe = fc.constantFrom(
      'printf %s `printf %s {{x}}`',
      "printf %s $'{{x}}'",
      'true # {{x}}',
      'cat <<EOF\n{{x}}\nEOF',
      "cat <<'EOF'\n{{x}}\nEOF\nprintf done",
      'printf %s "${NONE:-{{x}} }"',
      'printf %s ${NONE:-{{x}} }',
      'printf %s $(( {{x}} ))',
      "printf %s $'a\\'{{x}}'",
      'printf %s "$(case a in a) printf %s {{x}};; esac)"',
      'printf %s "${NONE:-\'}" {{x}}',
      'cat <<EOF $(echo\n) {{x}}\nEOF\n',
      'eval printf %s {{x}}',
      'sh -c "printf %s {{x}}"',
      "sh -c 'printf %s {{x}}'",
      'sh -ec {{x}}',
      'printf %s \\\\{{x}}',
      'printf %s "\\\\{{x}}"',
      'printf %s $\\\n{{x}}',
      'printf %s "$\\\n{{x}}"',
      'cat <<A\\\nB\n{{x}}\nAB\n',
      'printf %s "$((1))" `echo \\`{{x}}`',
    );
    fc.assert(
      fc.property(unsafe, hostile, (template, value) => {
        const result = render(template, `${value}`);
        if (!result.ok) return;
        let output = '';
        try {
          output = run(shell, String(result.value.value));
        } catch {
          // A syntax error of the shell is a failure, not an injection.
        }
        if (!value.includes('pwned')) return;
        expect(output.replaceAll(value, '')).not.toContain('pwned');
      }),
      { numRuns: 300 },
    );
  });
});

describe('where a value cannot be quoted', () => {
  test.each([
    ['printf %s `echo {{x}}`', 'a b', 'inside backticks'],
    ["printf %s $'{{x}}'", 'a b', "inside $'…'"],
    ['true # {{x}}', 'a\nb', 'in a comment'],
    ['cat <<EOF\n{{x}}\nEOF\n', 'a b', 'inside a here-document'],
    ["cat <<'EOF'\n{{x}}\nEOF\n", 'a b', 'inside a here-document'],
    ['cat <<EOF\n{{x}}\nEOF\n', 'EOF', 'where it ends a here-document'],
    ['cat <<EOF\nE{{x}}\nEOF\n', 'OF', 'where it ends a here-document'],
    ['cat <<EOF\n{{x}}EOF\nEOF\n', '', 'where it ends a here-document'],
    ['cat <<-EOF\n\t{{x}}\n\tEOF\n', 'EOF', 'where it ends a here-document'],
    ['cat <<{{x}}\nEOF\n', 'a b', 'after a here-document with an unusual end word'],
    ['cat <<EOF{{x}}\nEOF\n', 'a b', 'after a here-document with an unusual end word'],
    ['cat <<$E\n{{x}}\n$E\n', 'a b', 'after a here-document with an unusual end word'],
    ['cat <<EOF\na\\\nEOF\n{{x}}\nEOF\n', 'a b', 'after a joined line of a here-document'],
    ['cat <<EOF "\n" {{x}}\nEOF\n', 'a b', 'after a here-document whose line is continued'],
    ['echo $(cat <<EOF) {{x}}\nEOF\n', 'a b', 'after a here-document without a body'],
    ['printf %s "${A:-{{x}} }"', 'a b', 'inside a parameter expansion or arithmetic'],
    ['printf %s ${A:-"{{x}}"}', 'a b', 'inside a parameter expansion or arithmetic'],
    ['printf %s "${A:-\'}\'} {{x}}"', 'a b', 'after quotes inside a quoted parameter expansion'],
    ['printf %s ${ echo; } {{x}}', 'a b', 'after an unusual parameter expansion'],
    ['echo "${A:}-"\'{{x}}\'" }"', 'a b', 'after an unusual parameter expansion'],
    ['echo "$$(echo {{x}})"', 'a b', 'after $$'],
    ['cat <<EOF\r\nEOF\n{{x}}\nEOF\r\n', 'a b', 'after a here-document with an unusual end word'],
    ['printf %s $((1 + {{x}}))', 'a', 'inside $((…)), where only whole numbers can stand'],
    ['printf %s $((1 + {{x}}))', '010', 'inside $((…)), where only whole numbers can stand'],
    ['printf %s $((1 + {{x}}))', 'a[$(id)]', 'inside $((…)), where only whole numbers can stand'],
    ['printf %s $(("1")) {{x}}', 'a b', 'after quotes inside $((…))'],
    ['printf %s $((echo a) | cat) {{x}}', 'a b', 'after $(( that is not arithmetic'],
    ["printf %s $'a\\'b' {{x}}", 'a b', "after \\' inside $'…'"],
    ['printf %s $[1] {{x}}', 'a b', 'after $['],
    ['((1)); echo {{x}}', 'a b', 'after (('],
    ['[[ a -eq {{x}} ]]', 'a[$(id)]', 'after `[[`'],
    ['eval "echo {{x}}"', 'a b', 'after `eval`'],
    ['bash -c "echo {{x}}"', 'a b', 'in code for `bash -c`'],
    ["sh -c 'echo {{x}}'", 'a; b', 'in code for `sh -c`'],
    ['timeout 5 /bin/bash -lc "echo {{x}}"', '$(id)', 'in code for `bash -lc`'],
    ['env A=1 sh -e -c {{x}}', 'a b', 'in code for `sh -c`'],
    ['ls | xargs -n1 sh -c "echo {{x}}"', 'a b', 'in code for `sh -c`'],
    ['bash -c "$(echo {{x}})"', 'a b', 'in code for `bash -c`'],
    ['python3 -c "print(\'{{x}}\')"', "'", 'in code for `python3 -c`'],
    ['node -e "f({{x}})"', 'a b', 'in code for `node -e`'],
    ['ssh host ls {{x}}', 'a b', 'after `ssh`, which hands it to another shell'],
    ['"$(case a in a) echo {{x}};; esac)"', 'a b', 'after `case` inside $(…)'],
    ['"$(ca\\\nse a in a) echo {{x}};; esac)"', 'a b', 'after `case` inside $(…)'],
    ['echo $\\\n(echo {{x}})', 'a b', 'after an operator that is broken over two lines'],
    ['echo \\\\{{x}}', 'a b', 'directly after a backslash'],
    ['echo "\\\\{{x}}"', 'a b', 'directly after a backslash'],
    ['echo "{{x}}', 'a b', 'in text whose quotes or brackets do not close'],
    ['echo $(echo {{x}}', 'a b', 'in text whose quotes or brackets do not close'],
    ["echo {{x}} 'it", 'a b', 'in text whose quotes or brackets do not close'],
  ])('%j with %j', (text, value, where) => {
    const start = text.indexOf('{{x}}') + 2;
    expect(render(text, value)).toEqual({
      ok: false,
      error: [
        {
          code: 'AR403',
          message: `the value of "x" cannot be quoted safely ${where}`,
          hint: 'Put it into "env" and write "$NAME" in the shell text',
          within: [start, start + 1],
        },
      ],
    });
  });

  test.each(['echo ${{x}}', 'echo "${{x}}"', 'echo $$ ${{x}}', 'echo $${{x}}', 'echo "$\\\n{{x}}"'])(
    'directly after a dollar: %j',
    (text) => {
      const start = text.indexOf('{{x}}') + 2;
      const expected = {
        code: 'AR403',
        message: '"x" stands directly after $, so the shell would read it as a name',
        hint: 'Take the $ away: {{x}} is filled in before the shell runs',
        within: [start, start + 1],
      };
      const result = render(text, 'a b');
      expect(result).toMatchObject({ ok: false, error: [expected] });
    },
  );

  test('a NUL is refused everywhere', () => {
    for (const text of ['echo {{x}}', "echo '{{x}}'", 'echo "{{x}}"', '# {{x}}'])
      expect(rendered(text, 'a\0b')).toBe('AR403');
    expect(rendered('echo {{x}}', ['a\0b'])).toBe('AR403');
  });
});

describe('what the rendered text looks like', () => {
  test.each<[string, Json, string]>([
    ['./train.sh --steps {{x}}', 5, './train.sh --steps 5'],
    ['./train.sh --lr={{x}}', 0.001, './train.sh --lr=0.001'],
    ['cp a out/{{x}}.json', 'run-1', 'cp a out/run-1.json'],
    ['echo {{x}}', 'a b', "echo 'a b'"],
    ['echo {{x}}', "it's", "echo 'it'\\''s'"],
    ['echo {{x}}', '', "echo ''"],
    ['echo {{x}}', true, 'echo true'],
    ['echo {{x}}>f', 2, "echo '2'>f"],
    ['{{x}}', 'if', "'if'"],
    ['{{x}}f', 'i', "'i'f"],
    ['{{x}}=1', 'PATH', "'PATH'=1"],
    ['echo ~{{x}}', 'root', "echo ~'root'"],
    ['echo [a{{x}}z]', '-', "echo [a'-'z]"],
    ['echo $VAR{{x}}', 'a', "echo $VAR'a'"],
    ['echo "$VAR{{x}}"', 'a', 'echo "$VAR""a"'],
    ['echo "{{x}}"', '$(id) `id` "\\', 'echo "\\$(id) \\`id\\` \\"\\\\"'],
    ['echo $((1+{{x}}))', -2, 'echo $((1+(-2)))'],
    ['echo `cat {{x}}`', 'a.txt', 'echo `cat a.txt`'],
    ['cat <<EOF\nseed {{x}}\nEOF\n', 7, 'cat <<EOF\nseed 7\nEOF\n'],
    ['for s in {{x}}; do :; done', [1, 'a b', true], "for s in 1 'a b' true; do :; done"],
    ['echo {{x}}', [], 'echo '],
    ['{{x}}', ['if', '-n'], "'if' -n"],
    ['echo {{{x}}}', 'a; b', 'echo a; b'],
    ['bash -c "train --seed {{x}}"', 7, 'bash -c "train --seed 7"'],
    ['bash -c \'echo "$1"\' _ {{x}}', 'a b', "bash -c 'echo \"$1\"' _ 'a b'"],
    ['sh -c true; echo {{x}}', 'a b', "sh -c true; echo 'a b'"],
    ['sh ./run.sh -c {{x}}', 'a.b', 'sh ./run.sh -c a.b'],
    ['grep -c {{x}} f', 'a b', "grep -c 'a b' f"],
    ['python train.py {{x}}', 'a b', "python train.py 'a b'"],
    ['ssh host ls && echo {{x}}', 'a b', "ssh host ls && echo 'a b'"],
    ["echo {{{x}}} '{{y}}", "'", "echo ' ''second'"],
  ])('%j with %j', (text, value, expected) => {
    expect(rendered(text, value)).toBe(expected);
  });

  test.each<[string, Json, string]>([
    ['echo "{{x}}"', [1], 'is a list, which cannot be part of a word or stand in quotes'],
    ['echo --seeds={{x}}', [1], 'is a list, which cannot be part of a word or stand in quotes'],
    ['echo {{x}}.txt', [1], 'is a list, which cannot be part of a word or stand in quotes'],
    ['echo {{x}}', [[1]], 'is a list, which cannot hold other lists or maps in shell text'],
    ['echo {{x}}', { a: 1 }, 'is a map, which cannot stand in shell text'],
    ['echo {{x}}', null, 'is null, which cannot stand in shell text'],
    ['echo {{{x}}}', [1], 'is a list, which cannot stand in shell text as it is'],
  ])('%j with %j is refused', (text, value, message) => {
    const result = render(text, value);
    expect(result.ok ? [] : result.error).toMatchObject([{ code: 'AR408', message: `"x" ${message}` }]);
  });

  test('raw values are named, so that a plan can point them out', () => {
    const result = templates.render('{{{x}}} {{&y}} {{x}}', { x: 'a', y: 'b' }, { mode: 'shell' });
    expect(result).toEqual({ ok: true, value: { value: 'a b a', raw: ['x', 'y'] } });
  });
});

describe('shellQuote', () => {
  test.each([
    ['a', 'a'],
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['--lr=0.1', '--lr=0.1'],
    ['A=b', "'A=b'"],
    ['out/run-1.json', 'out/run-1.json'],
    ['~', "'~'"],
    ['if', "'if'"],
    ['$HOME', "'$HOME'"],
    ['*', "'*'"],
    ['é', "'é'"],
  ])('%j → %s', (value, expected) => {
    expect(shellQuote(value)).toBe(expected);
  });

  test('always gives one word with the same text', () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (words) => {
        const text = `for w in ${words.map(shellQuote).join(' ')}; do printf '%s\\0' "$w"; done`;
        expect(run('/bin/sh', text)).toBe(words.map((word) => `${word}\0`).join(''));
      }),
      { numRuns: 200 },
    );
  });
});
