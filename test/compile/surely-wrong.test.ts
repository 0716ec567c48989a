import { expect, test } from 'vitest';
import { compile } from '../../src/compile/compile.js';
import { surelyWrong } from '../../src/compile/rules/surely-wrong.js';
import { isValid } from '../../src/config/generated/validate-config.js';
import { type Removed, soundPart } from '../../src/config/sound-part.js';
import type { Diagnostic } from '../../src/model/diagnostic.js';
import type { Config } from '../../src/model/generated/config.js';
import { pointerOf, valueAt } from '../../src/model/pointer.js';
import { inputOf } from './study.js';

/** Right in its shape, and with a mistake of nearly every other kind. */
const study = {
  name: 'study',
  vars: { used: 1, lone: 2, list: [1, 2], asked: true },
  protect: ['eval/**'],
  agents: {
    coder: { backend: 'command', run: 'x' },
    idle: { backend: 'command', run: 'x' },
  },
  stages: {
    a: {
      uses: 'command',
      matrix: { seed: '{{vars.list}}', arm: ['x', 'y'] },
      with: { run: 'echo {{matrix.seed}} {{matrix.sede}} {{vars.usde}} {{vars.used}}', shell: 'zsh' },
      inputs: ['d.txt'],
      outputs: ['c-{{matrix.seed}}-{{matrix.arm}}.txt', 'c.txt', 'eval/x'],
      needs: ['nobody'],
      env: { A: '{{vars.nothing}}' },
    },
    b: { uses: 'command', with: { run: 'x' }, inputs: ['c.txt'], outputs: ['d.txt'], on: 'nowhere', agent: 'codr' },
    c: { uses: 'comand', with: { run: 'x' }, outputs: ['d.txt', '../x'], when: 'vars.used' },
    d: { uses: 'command', with: {}, when: "vars.ased == 'a'", needs: ['a'] },
    e: { uses: 'agent', agent: 'coder', with: { instructions: 'x {{vars.asked}}', verify: 'true' }, timeout: '5m' },
  },
} as const;

// Loaded once: behaviours, and saying what is wrong with options, take long the first time.
const input = await inputOf({ stages: {} });

const problems = async (config: object): Promise<readonly Diagnostic[]> => {
  const { vars = {}, agents = {} } = config as Config;
  const own = { userVars: new Set(Object.keys(vars)), userAgents: new Set(Object.keys(agents)) };
  const result = await compile({ ...input, ...own, config: config as Config });
  return result.ok ? [] : result.error;
};

/** A circle is told of by the names of tasks, which bear the values of a matrix. */
const shown = (all: readonly Diagnostic[]): string[] =>
  all.map(({ code, at, message }) =>
    [code, at?.kind === 'config' ? at.pointer : '', code === 'AR501' ? '' : message].join(' '),
  );

/** Every place of a value under a key, not too deep. */
function* places(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (path.length === 3) return;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, item] of Object.entries(value)) yield* places(item, [...path, key]);
}

function without(config: object, path: readonly string[]): { readonly rest: object; readonly gap: Removed } {
  const rest = structuredClone(config);
  const place = valueAt(rest, pointerOf(...path.slice(0, -1))) as Record<string, unknown>;
  const gap = { pointer: pointerOf(...path), value: place[path.at(-1)!] };
  delete place[path.at(-1)!];
  return { rest, gap };
}

test('what is told beside a gap is wrong without the gap, too: for a gap at every place', async () => {
  const whole = new Set(shown(await problems(study)));
  let told = 0;
  let gaps = 0;
  for (const path of places(study)) {
    const { rest, gap } = without(study, path);
    if (!isValid(rest)) continue;
    const more = shown(surelyWrong(await problems(rest), [gap]));
    expect(
      more.filter((one) => !whole.has(one)),
      path.join('.'),
    ).toEqual([]);
    told += more.length;
    gaps += 1;
  }
  expect(whole.size).toBeGreaterThan(14);
  // Most of them are told, wherever the gap is.
  expect(told / gaps / whole.size).toBeGreaterThan(0.8);
  expect(gaps).toBeGreaterThan(20);
});

test('a variable, an agent or a stage that may be used or named in what is gone', async () => {
  const gone = (pointer: string, value: unknown): Removed[] => [{ pointer, value }];
  const stage = { uses: 'command', with: { run: 'x' } };
  const all = await problems({ vars: { n: 1 }, stages: { a: stage } });
  expect(all.map(({ code }) => code)).toEqual(['AR307']);
  expect(surelyWrong(all, gone('/stages/a/timeout', '{{vars.n}}'))).toEqual([]);
  expect(surelyWrong(all, gone('/stages/a/timeout', '5 minutes'))).toEqual(all);
  const unknown = await problems({ stages: { a: { ...stage, needs: ['b'] } } });
  expect(surelyWrong(unknown, gone('/stages/b', 3))).toEqual([]);
  expect(surelyWrong(unknown, gone('/stages/a/retry', 3))).toEqual(unknown);
});

test('what is left of a config: lists go as a whole, what lacks a key goes with it, and nothing is left of nothing', async () => {
  const wrong = (...pointers: string[]): Diagnostic[] =>
    pointers.map((pointer) => ({ code: 'AR203', message: '', at: { kind: 'config', pointer } }));
  const stage = { uses: 'command', with: { run: 'x' } };
  const config = { name: 'x', stages: { a: { ...stage, needs: [1, 'b'] }, b: { uses: 3, with: { run: 'x' } } } };
  expect(await soundPart(config, wrong('/stages/a/needs/0', '/stages/b/uses'))).toEqual({
    config: { name: 'x', stages: { a: stage } },
    removed: [
      { pointer: '/stages/a/needs', value: [1, 'b'] },
      { pointer: '/stages/b/uses', value: 3 },
      { pointer: '/stages/b', value: { with: { run: 'x' } } },
    ],
  });
  expect(config.stages.a.needs).toEqual([1, 'b']);
  expect(await soundPart({ name: 'x', stages: 3 }, wrong('/stages'))).toBeUndefined();
  expect(await soundPart({ stages: { a: stage } }, wrong(''))).toMatchObject({ config: { stages: { a: stage } } });
});

test('an unknown name of a matrix of which one axis is gone is told, unless it is that axis', () => {
  const told = (name: string, ...path: readonly string[]): number => {
    const at = { kind: 'config', pointer: pointerOf('stages', 'a', 'with', 'run') } as const;
    const unknown: Diagnostic = { code: 'AR402', message: `unknown name "matrix.${name}"`, at };
    return surelyWrong([unknown], [{ pointer: pointerOf('stages', ...path), value: [] }]).length;
  };
  expect(told('sed', 'a', 'matrix', 'seed')).toBe(1);
  expect(told('seed', 'a', 'matrix', 'seed')).toBe(0);
  expect(told('seed', 'a', 'matrix', 'seed', '1')).toBe(0);
  expect(told('sed', 'a', 'matrix')).toBe(0);
  expect(told('sed', 'b', 'matrix')).toBe(1);
});
