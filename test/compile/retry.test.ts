import { describe, expect, test } from 'vitest';
import { knownErrorClasses } from '../../src/model/errors/known-error-class.js';
import type { Retry } from '../../src/model/generated/config.js';
import { at, codesOf, planOf, problemsOf, taskOf } from './study.js';

const problems = (retry: Retry, vars = {}) => problemsOf({ vars, stages: { a: { retry } } });

describe('AR208: expressions', () => {
  test('one that cannot be read is said in the words of the engine', async () => {
    expect(await problems({ attempts: 2, classes: { mine: 'loss (is nan' } })).toEqual([
      {
        code: 'AR208',
        message: 'this is not a regular expression: Unterminated group',
        hint: 'Put \\ before a character that is meant as it is',
        at: at('/stages/a/retry/classes/mine'),
      },
    ]);
  });

  test.each(['.*', '^', 'a?', '(nan|)', '$', '\\b|'])('%s would fit everything', async (pattern) => {
    expect(await problems({ attempts: 2, classes: { mine: pattern } })).toEqual([
      {
        code: 'AR208',
        message: 'this expression fits an empty text, and so every error there is',
        hint: 'Name something that stands in the message',
        at: at('/stages/a/retry/classes/mine'),
      },
    ]);
  });

  test('a template in one would never be filled in', async () => {
    expect(await problems({ attempts: 2, classes: { mine: 'seed {{vars.seed}}' } }, { seed: 1 })).toMatchObject([
      { code: 'AR407', message: 'a regular expression cannot hold a template' },
    ]);
  });

  test('sound ones reach the task', async () => {
    const retry = { attempts: 2, classes: { nan: 'loss is (nan|inf)', bind: '^bind:' } };
    expect(taskOf(await planOf({ stages: { a: { retry } } }), 'a').retry).toEqual(retry);
  });
});

describe('AR210: names of ours', () => {
  test.each(knownErrorClasses)('%s', async (name) => {
    expect(await problems({ attempts: 2, classes: { [name]: 'x' } })).toEqual([
      {
        code: 'AR210',
        message: `"${name}" is a class of errors already`,
        hint: `Choose another name, such as "my-${name}"`,
        at: at(`/stages/a/retry/classes/${name}`, { key: true }),
      },
    ]);
  });
});

describe('numbers', () => {
  test('fewer tries in all than of one kind', async () => {
    expect(await problems({ attempts: 3, total: 2 })).toEqual([
      {
        code: 'AR204',
        message: 'total is 2, which is less than the 3 attempts of a single kind of error',
        hint: 'Write at least 3, or fewer attempts',
        at: at('/stages/a/retry/total'),
      },
    ]);
    expect(await codesOf({ stages: { a: { retry: { attempts: 3, total: 3 } } } })).toEqual([]);
  });

  test('with one attempt nothing else has an effect', async () => {
    const retry: Retry = { attempts: 1, backoff: '1s', classes: { mine: 'x' }, fix: { run: 'true' }, total: 1 };
    const refused = (key: string) => ({
      code: 'AR209',
      message: `${key} has no effect where there is only one attempt`,
      hint: 'Take it out, or allow more than one attempt',
      at: at(`/stages/a/retry/${key}`, { key: true }),
    });
    expect(await problems(retry)).toEqual(['backoff', 'classes', 'fix', 'total'].map(refused));
    expect(await codesOf({ stages: { a: { retry: { attempts: 1 } } } })).toEqual([]);
  });
});

describe('a command that mends', () => {
  const fixOf = async (run: string, vars: Record<string, string | number | string[]>) => {
    const plan = await planOf({ vars, stages: { a: { retry: { attempts: 2, fix: { run } } } } });
    return taskOf(plan, 'a').retry.fix;
  };

  test('is shell text: what goes into it is quoted', async () => {
    expect(await fixOf('rm -f {{vars.file}} && echo {{vars.n}}', { file: "it's; rm -rf ~", n: 3 })).toEqual({
      run: `rm -f 'it'\\''s; rm -rf ~' && echo 3`,
    });
    expect(await fixOf('{{vars.n}}', { n: 5 })).toEqual({ run: '5' });
  });

  test('knows its task', async () => {
    const stage = {
      matrix: { seed: [1, 2] as [number, number] },
      retry: { attempts: 2, fix: { run: './mend {{matrix.seed}}' } },
    };
    const { tasks } = await planOf({ stages: { a: stage } });
    expect(tasks.map(({ retry }) => retry.fix)).toEqual([{ run: './mend 1' }, { run: './mend 2' }]);
  });

  test('what cannot be quoted or is not known is refused at its place', async () => {
    expect(await problems({ attempts: 2, fix: { run: 'true # {{vars.x}}' } }, { x: 'a\nb' })).toMatchObject([
      { code: 'AR403', at: { pointer: '/stages/a/retry/fix/run' } },
    ]);
    expect(await problems({ attempts: 2, fix: { run: 'echo {{vars.y}}' } })).toMatchObject([
      { code: 'AR402', at: { pointer: '/stages/a/retry/fix/run' } },
    ]);
  });

  test('raw values are pointed out', async () => {
    const retry = { attempts: 2, fix: { run: 'echo {{{vars.x}}}' } };
    const plan = await planOf({ vars: { x: 'a b' }, stages: { a: { retry } } });
    expect(taskOf(plan, 'a').rawShell).toEqual(['vars.x']);
  });

  test('a list becomes words', async () => {
    expect(await fixOf('rm -f {{vars.all}}', { all: ['a b', 'c'] })).toEqual({ run: "rm -f 'a b' c" });
    expect(await fixOf('{{vars.all}}', { all: ['ls', 'c d'] })).toEqual({ run: "ls 'c d'" });
  });
});
