import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { loadExpressions } from '../../../src/source/expression/expression.js';

const expressions = await loadExpressions();
const vars = {
  steps: 5,
  zero: 0,
  big: 1e308,
  mode: 'full',
  nan: 'NaN',
  inf: 'inf',
  list: [1, 2, 3],
  words: ['a', 'b'],
  none: [] as Json[],
  on: true,
  nested: { a: { b: 1 } },
};
const names = { vars, matrix: { seed: 2, arm: 'x' }, name: 'study' };

const answer = (text: string) => {
  const result = expressions.evaluate(text, names);
  return result.ok ? result.value : result.error[0];
};
const code = (text: string) => {
  const found = answer(text);
  return typeof found === 'object' ? found.code : found;
};

describe('never true by accident', () => {
  test.each([
    'vars.steps / 0 > 1',
    'vars.steps / vars.zero > 1',
    '!(vars.steps / vars.zero < 1)',
    '0 / 0 != 0',
    '0.0 / 0.0 != 1.0',
    '!(0 / 0 > 1)',
    '1 % 0 != 1',
    'vars.big * 10 > 1',
    '-vars.big * 10 < 1',
    'vars.big + vars.big > 1',
    'double("nan") != 1',
    '!(double(vars.nan) < 1)',
    'double(vars.inf) > 1',
    '[1 / vars.zero].exists(x, x > 1)',
    'vars.list.all(x, x / vars.zero > 1)',
    'vars.list.map(x, x / 0).size() == 3',
    '1 / 0 > 1 || true',
    'vars.list.exists(x, 1 / 0 > x)',
    'cel.bind(x, 1 / vars.zero, x > 1)',
    'vars.on ? 1 / 0 > 1 : true',
    '{"a": 1 / 0}.a > 1',
  ])('%s', (text) => {
    expect(code(text)).toBe('AR406');
  });

  test('but a branch that is guarded is not worked out', () => {
    expect(answer('vars.zero != 0 && 1 / vars.zero > 1')).toBe(false);
    expect(answer('vars.zero == 0 ? true : 1 / vars.zero > 1')).toBe(true);
    expect(answer('has(vars.zero) && (vars.zero == 0 || 5 / vars.zero > 1)')).toBe(true);
  });

  test.each<[string, string]>([
    ['matrix.seed in ["2"]', 'this is never in the list, which holds values of other kinds'],
    ['"1" in vars.list', 'this is never in the list, which holds values of other kinds'],
    ['!(1 in vars.words)', 'this is never in the list, which holds values of other kinds'],
    ['vars.steps == [5]', 'a number never equals a list'],
    ['vars.mode == vars.words', 'text never equals a list'],
    ['vars.nested != 1', 'a number never equals a map'],
    ['vars.on == [true]', 'true or false never equals a list'],
  ])('%s: values of other kinds are not compared', (text, message) => {
    expect(answer(text)).toMatchObject({ code: 'AR406', message });
  });

  test.each([
    ['matrix.seed in [1, 2]', true],
    ['matrix.seed in [1, 2.5]', false],
    ['matrix.seed in ["2", 2]', true],
    ['matrix.arm in ["x", 1]', true],
    ['matrix.arm in []', false],
    ['matrix.arm in vars.none', false],
    ['!(matrix.seed in vars.list)', false],
    ['vars.list.exists(x, x in [3])', true],
    ['"steps" in vars', true],
    ['"gone" in vars', false],
    ['vars.list == [1, 2, 3.0]', true],
    ['vars.steps == null', false],
  ])('%s', (text, expected) => {
    expect(answer(text)).toBe(expected);
  });
});

describe('names', () => {
  test.each([
    ['"vars.gone" != ""', true],
    ["'matrix.x' == 'matrix.x'", true],
    ['r"vars.gone" != ""', true],
    ['"""vars.gone""" != ""', true],
    ['vars.mode != "full" // && vars.gone', false],
    ['vars.\n  steps == 5', true],
    ['[1, 2].exists(vars, vars == 2)', true],
  ])('%j: text, comments and bound names are none', (text, expected) => {
    expect(answer(text)).toBe(expected);
  });

  test.each([
    ['true || vars.gone', [13, 17]],
    ['false && vars.gone', [14, 18]],
    ['true ? true : vars.gone', [19, 23]],
    ['[].exists(x, vars.gone)', [18, 22]],
    ['has(vars.gone)', [9, 13]],
    ['vars.nested.a.c == 1', [14, 15]],
    ['vars.list.length == 3', [10, 16]],
    ['vars.toString == 1', [5, 13]],
    ['vars.hasOwnProperty == 1', [5, 19]],
    ['constructor == 1', [0, 11]],
    ['toString == 1', [0, 8]],
    ['vars["__proto__"] == 1', [0, 17]],
    ['vars.nested.constructor == 1', [12, 23]],
    ['vars.mode.constructor == 1', [10, 21]],
  ])('%s: an unknown one is found wherever it stands', (text, within) => {
    expect(answer(text)).toMatchObject({ code: 'AR405', within });
  });

  test.each(['__proto__ == 1', 'prototype == 1', '1 __proto__', '1 constructor', '1 toString'])(
    '%s has no hint from a prototype',
    (text) => {
      const found = answer(text);
      expect(found).toMatchObject({ code: 'AR404' });
      expect(found).not.toHaveProperty('hint');
    },
  );
});

describe('syntax', () => {
  test.each([
    '   ',
    '(',
    ')',
    'vars.',
    'vars..x',
    '1 2',
    "'open",
    '"a\\q"',
    'vars.steps >',
    '{',
    'a ? b',
    '1e400 > 1',
    '\0',
    '💥',
    'vars.list.exists(1, true)',
  ])('%j', (text) => {
    expect(code(text)).toBe('AR404');
  });

  test('a template is no expression', () => {
    expect(answer('{{vars.steps}} > 3')).toEqual({
      code: 'AR404',
      message: '"}" cannot stand here',
      hint: 'Write the name without braces: an expression is no template',
      within: [12, 13],
    });
  });

  test.each<[string, string]>([
    ['a tower of !', `${'!'.repeat(100_000)}true`],
    ['a tower of -', `${'-'.repeat(100_000)}1 > 0`],
    ['brackets', `${'('.repeat(50_000)}true${')'.repeat(50_000)}`],
    ['lists', `${'['.repeat(5000)}${']'.repeat(5000)} == []`],
    ['members', `vars${'.a'.repeat(10_000)} == 1`],
    ['a long sum', `1${'+1'.repeat(50_000)} > 0`],
    ['a long chain', `true${' && true'.repeat(20_000)}`],
    ['choices', `${'true ? '.repeat(5000)}true${' : false'.repeat(5000)}`],
    ['macros', `${'[1].exists(x, '.repeat(2000)}true${')'.repeat(2000)}`],
  ])('%s: too deep is a mistake, not a crash', (_what, text) => {
    expect(answer(text)).toEqual({
      code: 'AR404',
      message: 'the expression is too long, or too deeply nested',
      within: [0, text.length],
    });
  });

  test('long, but not deep', () => {
    expect(answer(`vars.mode == "${'x'.repeat(1_000_000)}"`)).toBe(false);
    expect(answer(`vars.steps > 1${' '.repeat(1_000_000)}`)).toBe(true);
    expect(answer(`true${' && vars.steps == 5'.repeat(300)}`)).toBe(true);
  });

  test('what the library itself cannot tell apart is a mistake, not a crash', () => {
    expect(answer('(vars.steps + 1) + {}[vars.steps] > 1')).toMatchObject({ code: 'AR406' });
    expect(answer('-(vars.steps + 1) + {}[vars.steps] > 1')).toMatchObject({ code: 'AR406' });
  });

  test('plain words', () => {
    expect(answer('vars.list[-1] == 1')).toMatchObject({ message: 'there is no item -1 in a list' });
    expect(answer('vars.steps ? true : false')).toMatchObject({
      message: 'what stands before "?" gives a number, not true or false',
    });
  });
});

describe('properties', () => {
  const atom = fc.constantFrom(
    'vars.steps',
    'vars.zero',
    'vars.mode',
    'vars.list',
    'vars.on',
    'vars.gone',
    'matrix.seed',
    '1',
    '0',
    '2.5',
    '"a"',
    'true',
    'null',
    '[1]',
    '{}',
    'size(vars.list)',
    'x',
  );
  const text = fc.letrec<{ e: string }>((tie) => ({
    e: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc
        .tuple(tie('e'), fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>', '&&', '||', 'in'), tie('e'))
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
      tie('e').map((a) => `!${a}`),
      tie('e').map((a) => `-${a}`),
      fc.tuple(tie('e'), tie('e'), tie('e')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
      fc.tuple(tie('e'), tie('e')).map(([a, b]) => `${a}.exists(x, ${b})`),
      fc.tuple(tie('e'), tie('e')).map(([a, b]) => `${a}[${b}]`),
    ),
  })).e;

  test('an answer is true, false or a problem with a place inside the text; nothing is thrown', () => {
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string(), fc.string({ unit: fc.constantFrom(...'vars.&|!=<>()[]{}"\'\\?:,/%1x ') })),
        (written) => {
          const result = expressions.evaluate(written, names);
          if (result.ok) {
            expect(typeof result.value).toBe('boolean');
            return;
          }
          expect(result.error.length).toBeGreaterThan(0);
          for (const problem of result.error) {
            expect(['AR404', 'AR405', 'AR406']).toContain(problem.code);
            const [start, end] = problem.within!;
            expect(start).toBeGreaterThanOrEqual(0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(written.length);
          }
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('asking twice gives the same answer, and one expression does not change another', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        const first = expressions.evaluate(one, names);
        expressions.evaluate(other, { vars: { steps: 'text' }, matrix: {}, name: 'x' });
        expect(expressions.evaluate(one, names)).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });

  test('numbers are compared and divided as in JavaScript', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 });
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        const values = { vars: { a, b } };
        const ask = (written: string) => expressions.evaluate(written, values);
        expect(ask('vars.a < vars.b')).toEqual({ ok: true, value: a < b });
        expect(ask('vars.a == vars.b')).toEqual({ ok: true, value: a === b });
        const quotient = ask('vars.a / vars.b >= 1');
        if (Number.isFinite(a / b)) expect(quotient).toEqual({ ok: true, value: a / b >= 1 });
        else expect(quotient).toMatchObject({ ok: false, error: [{ code: 'AR406' }] });
      }),
      { numRuns: 200 },
    );
  });
});
