import { describe, expect, test } from 'vitest';
import { setLayer } from '../../src/config/set.js';

const vars = {
  steps: 5,
  rate: 1e-3,
  name: 'base',
  fast: true,
  seeds: [1, 2],
  arms: ['a', 'b'],
  mixed: [1, 'a'],
  none: [],
};

async function set(...options: string[]) {
  const { layer, diagnostics } = await setLayer(options, vars);
  expect(diagnostics).toEqual([]);
  expect(layer?.name).toBe('--set');
  return (layer!.value as { vars: Record<string, unknown> }).vars;
}
const mistakes = async (...options: string[]) => (await setLayer(options, vars)).diagnostics;

describe('values keep the type of what they override', () => {
  test.each([
    ['steps=10', { steps: 10 }],
    ['rate=-2.5e-4', { rate: -0.00025 }],
    ['name=10', { name: '10' }],
    ['name=', { name: '' }],
    ['name=a=b', { name: 'a=b' }],
    ['name=true', { name: 'true' }],
    ['fast=false', { fast: false }],
    ['seeds=3, 4,5', { seeds: [3, 4, 5] }],
    ['seeds=[3, 4]', { seeds: [3, 4] }],
    ['seeds=7', { seeds: [7] }],
    ['seeds=[]', { seeds: [] }],
    ['arms=x,1', { arms: ['x', '1'] }],
    ['arms=["a,b", c]', { arms: ['a,b', 'c'] }],
    ['mixed=[1, b, true]', { mixed: [1, 'b', true] }],
    ['mixed=x,y', { mixed: ['x', 'y'] }],
    ['none=[1, a]', { none: [1, 'a'] }],
  ])('%s', async (option, expected) => {
    expect(await set(option)).toEqual(expected);
  });

  test('several at once, and none', async () => {
    expect(await set('steps=1', 'fast=true')).toEqual({ steps: 1, fast: true });
    expect(await setLayer([], vars)).toEqual({ diagnostics: [] });
  });

  test('a variable called __proto__ is a variable', async () => {
    const { layer } = await setLayer(['__proto__=x'], JSON.parse('{"__proto__": "y"}') as Record<string, unknown>);
    expect(JSON.stringify(layer?.value)).toBe('{"vars":{"__proto__":"x"}}');
    expect((await setLayer(['__proto__=x', 'toString=y'], {})).diagnostics.map(({ code }) => code)).toEqual([
      'AR308',
      'AR308',
    ]);
  });
});

describe('mistakes', () => {
  const at = (option: string) => ({ kind: 'argument', argument: `--set ${option}` });

  test.each(['steps', '=3', ''])('not of the form key=value (AR604): "%s"', async (option) => {
    expect(await mistakes(option)).toEqual([
      {
        code: 'AR604',
        message: `"${option}" is not of the form key=value`,
        hint: 'Write --set key=value',
        at: at(option),
      },
    ]);
  });

  test('set twice (AR604)', async () => {
    expect(await mistakes('steps=1', 'steps=2')).toEqual([
      { code: 'AR604', message: 'the variable "steps" is set twice', hint: 'Keep one of the two', at: at('steps=2') },
    ]);
  });

  test('unknown (AR308)', async () => {
    expect(await mistakes('stesp=1', 'zzz=1')).toEqual([
      { code: 'AR308', message: 'there is no variable "stesp"', hint: 'Did you mean "steps"?', at: at('stesp=1') },
      {
        code: 'AR308',
        message: 'there is no variable "zzz"',
        hint: 'The config declares steps, rate, name, fast, seeds, arms, mixed, none',
        at: at('zzz=1'),
      },
    ]);
    expect((await setLayer(['x=1'], {})).diagnostics).toMatchObject([
      { hint: 'The config declares no variables under "vars"' },
    ]);
    expect(await mistakes('vars.steps=1')).toMatchObject([
      { message: 'there is no variable "vars.steps"', hint: 'Write --set steps=…' },
    ]);
  });

  test.each([
    ['steps=ten', 'the variable "steps" must be a number, but is set to "ten"'],
    ['steps=', 'the variable "steps" must be a number, but is set to ""'],
    ['steps=0x10', 'the variable "steps" must be a number, but is set to "0x10"'],
    ['steps=1e999', 'the variable "steps" must be a number, but is set to "1e999"'],
    ['steps=12345678901234567890', 'the variable "steps" must be a number, but is set to "12345678901234567890"'],
    ['steps=Infinity', 'the variable "steps" must be a number, but is set to "Infinity"'],
    ['fast=yes', 'the variable "fast" must be true or false, but is set to "yes"'],
    ['seeds=a', 'the variable "seeds" must be a list of numbers, but is set to "a"'],
    ['seeds=1,,2', 'the variable "seeds" must be a list of numbers, but is set to "1,,2"'],
    ['seeds=[1, b]', 'the variable "seeds" must be a list of numbers, but is set to "[1, b]"'],
    ['seeds=[1', 'the variable "seeds" must be a list of numbers, but is set to "[1"'],
    ['seeds=', 'the variable "seeds" must be a list of numbers, but is set to ""'],
    ['arms=[[a]]', 'the variable "arms" must be a list of text, but is set to "[[a]]"'],
    ['mixed=[{}]', 'the variable "mixed" must be a list, but is set to "[{}]"'],
  ])('another type (AR309): %s', async (option, message) => {
    const [name = ''] = option.split('=');
    const hint = Array.isArray(vars[name as keyof typeof vars])
      ? { hint: `Write the values with commas between: --set ${name}=a,b` }
      : {};
    expect(await mistakes(option)).toEqual([{ code: 'AR309', message, ...hint, at: at(option) }]);
  });
});
