import { describe, expect, test } from 'vitest';
import { loadExpressions } from '../../../src/source/expression/expression.js';

const expressions = await loadExpressions();
const vars = { steps: 5, zero: 0, mode: 'full', seeds: [1, 2], gpu: true, map: { k: 1 }, empty: [] };
const names = { vars, matrix: { seed: 3 } };

/** The answer, or the first problem. */
const answer = (text: string) => {
  const result = expressions.evaluate(text, names);
  return result.ok ? result.value : result.error[0];
};

describe('numbers are those of JSON', () => {
  test.each([
    ['vars.steps * 2 > 5', true],
    ['vars.steps == 5', true],
    ['vars.steps == 5.0', true],
    ['vars.steps != 5', false],
    ['3 / 2 == 1.5', true],
    ['vars.steps / 2 == 2.5', true],
    ['vars.seeds[0] / vars.seeds[1] == 0.5', true],
    ['7 % 4 == 3', true],
    ['vars.steps % 2 == 1', true],
    ['-vars.steps < 0', true],
    ['size(vars.seeds) == 2', true],
    ['size(vars.seeds) * 2.5 == vars.steps', true],
    ['vars.steps - size(vars.seeds) == 3', true],
    ['size(vars.seeds) / 4 == 0.5', true],
    ['size(vars.seeds) + size(vars.seeds) == 4', true],
    ['vars.steps in [1, 5]', true],
    ['vars.seeds == [1, 2]', true],
    ['vars.map == {"k": 1}', true],
    ['vars.seeds.map(s, s * 2) == [2, 4]', true],
    ['vars.mode.substring(1) == "ull"', true],
    ['0x10 == 16', true],
  ])('%s', (text, expected) => {
    expect(answer(text)).toBe(expected);
  });
});

describe('truth', () => {
  test.each([
    ['vars.gpu', true],
    ['!vars.gpu || vars.mode == "full"', true],
    ['vars.mode.startsWith("f") && vars.steps >= 5', true],
    ['vars.seeds.all(s, s > 0)', true],
    ['vars.seeds.exists(s, s == matrix.seed)', false],
    ['vars["mode"] == "full"', true],
    ['"steps" in vars', true],
    ['cel.bind(x, vars.steps, x > 1)', true],
    ['type(vars.mode) == string', true],
    ['vars.gpu ? vars.steps > 1 : false', true],
    ['true || 1 / vars.zero > 1', true],
    ['vars.zero == 0 || 1 / vars.zero > 1', true],
    ['true // why', true],
  ])('%s', (text, expected) => {
    expect(answer(text)).toBe(expected);
  });
});

describe('what fails closed', () => {
  const infinite = 'this is not a finite number, as after a division by zero';
  test.each<[string, string, readonly [number, number], string?]>([
    ['vars.steps / vars.zero > 1', infinite, [0, 22]],
    ['!(vars.zero / vars.zero > 1)', infinite, [2, 23]],
    ['vars.steps / 0 > 1 || true', infinite, [0, 14]],
    ['5 % 0 == 1', infinite, [0, 5]],
    ['!(double("NaN") > 1)', infinite, [2, 15]],
    ['1e308 * 10 > 1', infinite, [0, 10]],
    ['vars.seeds.exists(s, s / 0 > 1)', infinite, [21, 26]],
    ['vars.mode == 3', 'text never equals a number', [0, 14]],
    ['vars.steps != "5"', 'text never equals a number', [0, 17]],
    ['vars.gpu == "true"', 'text never equals true or false', [0, 18]],
    ['vars.gpu == 1', 'true or false never equals a number', [0, 13]],
    ['vars.steps > "a"', '">" does not take a number and text', [0, 16]],
    ['vars.mode + 1 == 2', '"+" does not take text and a number', [0, 13]],
    ['!vars.steps', '"!" does not take a number', [0, 11]],
    ['vars.gpu && vars.steps', '"&&" and "||" take true or false, not a number', [5, 8]],
    ['vars.seeds[5] == 1', 'there is no item 5 in a list of 2', [0, 13]],
    ['vars[matrix.seed] == 1', 'no such key: 3', [0, 17]],
    ['size(vars.steps) == 1', '"size" does not take a number', [0, 16]],
    ['vars.gpu ? 1 : "a"', 'the two sides of ":" are a number and text', [0, 18]],
    ['vars.steps', 'the expression gives a number, not true or false', [0, 10]],
    ['"text"', 'the expression gives text, not true or false', [0, 6]],
    ['vars', 'the expression gives a map, not true or false', [0, 4]],
    [
      'size(vars.seeds) / size(vars.seeds) == 1',
      'this divides two whole numbers, which would drop the fraction',
      [0, 35],
      'Write double(…) around one of them',
    ],
  ])('%s', (text, message, within, hint) => {
    expect(answer(text)).toEqual({ code: 'AR406', message, ...(hint ? { hint } : {}), within });
  });
});

describe('unknown names', () => {
  test.each([
    ['vars.stpes > 1', 'unknown name "vars.stpes"', 'Did you mean "vars.steps"?', [5, 10]],
    ['vals.steps > 1', 'unknown name "vals"', 'Did you mean "vars"?', [0, 4]],
    ['vars["stpes"] > 1', 'unknown name "vars.stpes"', 'Did you mean "vars.steps"?', [0, 13]],
    ['matrix.sed > 1', 'unknown name "matrix.sed"', 'Did you mean "matrix.seed"?', [7, 10]],
    ['vars.steps.x == 1', 'unknown name "vars.steps.x"', undefined, [11, 12]],
    [
      'vars.constructor == 1',
      'unknown name "vars.constructor"',
      'Known here: empty, gpu, map, mode, seeds, steps, zero',
      [5, 16],
    ],
    [
      'vars.__proto__ == 1',
      'unknown name "vars.__proto__"',
      'Known here: empty, gpu, map, mode, seeds, steps, zero',
      [5, 14],
    ],
    ['has(vars.stpes)', 'unknown name "vars.stpes"', 'Did you mean "vars.steps"?', [9, 14]],
    ['vars.seeds.all(s, t > 0)', 'unknown name "t"', 'Known here: matrix, vars', [18, 19]],
    ['sizee(vars.seeds) == 1', 'unknown function "sizee"', 'Did you mean "size"?', [0, 17]],
    ['vars.mode.startWith("a")', 'unknown function "startWith"', 'Did you mean "startsWith"?', [0, 24]],
  ] as const)('%s', (text, message, hint, within) => {
    expect(answer(text)).toEqual({ code: 'AR405', message, ...(hint ? { hint } : {}), within });
  });

  test('are all reported at once', () => {
    const result = expressions.check('vars.a > 1 && vars.b > 1', { vars: {} });
    expect(result.ok ? [] : result.error.map(({ message }) => message)).toEqual([
      'unknown name "vars.a"',
      'unknown name "vars.b"',
    ]);
  });

  test('below a name whose value is not known yet, everything is known', () => {
    expect(expressions.check('event.kind == "x"', { event: undefined })).toMatchObject({ ok: true });
  });
});

describe('syntax', () => {
  test.each([
    ['1 +', 'the expression ends too soon', undefined, [3, 3]],
    ['', 'the expression is empty', undefined, [0, 0]],
    ['vars.steps = 5', '"=" cannot stand here', 'Compare with ==', [11, 12]],
    ['vars.gpu & vars.gpu', '"&" cannot stand here', 'Write && for "and"', [9, 10]],
    ['vars.gpu and vars.gpu', '"and" cannot stand here', 'Write && for "and"', [9, 12]],
    ['vars.gpu && var.gpu', '"var" cannot stand here', 'Did you mean "vars"?', [12, 15]],
    ['(vars.gpu', 'the expression ends too soon', undefined, [9, 9]],
    ['9007199254740993 == 1', 'this number is too large to be exact', undefined, [0, 16]],
  ] as const)('%j', (text, message, hint, within) => {
    expect(answer(text)).toEqual({ code: 'AR404', message, ...(hint ? { hint } : {}), within });
  });
});

describe('what is used', () => {
  test('is found everywhere, bound names aside', () => {
    const text = 'vars.seeds.exists(n, n > vars.steps) && vars["mode"] == "a" || has(vars.gpu) || matrix.seed == 1';
    const result = expressions.check(text, names);
    expect(result.ok && [...result.value.names].sort()).toEqual([
      'matrix.seed',
      'vars.gpu',
      'vars.mode',
      'vars.seeds',
      'vars.steps',
    ]);
  });

  test('an index that is computed uses all variables', () => {
    const result = expressions.check('vars[matrix.seed] == 1');
    expect(result.ok && result.value.names.has('vars')).toBe(true);
  });

  test('the same text can be asked again with other values', () => {
    expect(expressions.evaluate('matrix.n > 1', { matrix: { n: 2 } })).toEqual({ ok: true, value: true });
    expect(expressions.evaluate('matrix.n > 1', { matrix: { n: 0 } })).toEqual({ ok: true, value: false });
    expect(expressions.evaluate('matrix.n > 1', { matrix: { n: 'a' } })).toMatchObject({ ok: false });
    expect(expressions.evaluate('matrix.n > 1', { matrix: { n: 3 } })).toEqual({ ok: true, value: true });
  });
});
