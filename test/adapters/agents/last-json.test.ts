import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { lastJsonObject } from '../../../src/adapters/agents/cli/last-json.js';

describe('the last JSON object', () => {
  test.each([
    ['nothing', '', undefined],
    ['prose', 'I am done.', undefined],
    ['one line', '{"a":1}', { a: 1 }],
    ['after an example', 'Reply like {"outcome":"failed"}\n{"outcome":"done"}\n', { outcome: 'done' }],
    ['over several lines', 'log\n{\n  "a": {"b": [1, {"c": 2}]}\n}\n', { a: { b: [1, { c: 2 }] } }],
    ['braces in text', '{"summary":"use } and { with care"}', { summary: 'use } and { with care' }],
    ['in a fence', '```json\n{"a":1}\n```\n', { a: 1 }],
    ['words on later lines', '{"a":1}\nbye\n', { a: 1 }],
    ['in the middle of a sentence', 'I would answer {"outcome":"done"} but I am not sure', undefined],
    ['broken after a good one', '{"outcome":"done"}\n{"outcome":', { outcome: 'done' }],
    ['a good one after which a brace closes nothing', '{"outcome":"done"}\n}', undefined],
    ['a list', '[1,2]', undefined],
    ['behind words on its line', 'answer: {"a":1}', { a: 1 }],
  ])('%s', (_name, text, expected) => {
    expect(lastJsonObject(text)).toEqual(expected);
  });

  it('finds every object that is printed last on lines of its own, whatever came before', () => {
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (before, object, pretty) => {
        const plain = JSON.parse(JSON.stringify(object));
        expect(lastJsonObject(`${before}\n${JSON.stringify(plain, null, pretty ? 2 : 0)}\n`)).toEqual(plain);
      }),
    );
  });
});

it.each([
  ['{"verdict":"reject","reasons":["x"]}\n{"verdict":"pass","reasons":["y"]}', ['reject', 'pass']],
  ['{"verdict":"reject","reasons":["x"],"verdict":"pass"}', ['reject', 'pass']],
  ['I would say {"verdict": "pass"}, but\n{"verdict":"revise","reasons":["y"]}', ['pass', 'revise']],
  ['{"verdict":"pass","reasons":["x"]}\n{"verdict":"pass","reasons":["y"]}', 'pass'],
  ['{"verdict":"pass","reasons":["not \\"verdict\\": \\"reject\\""]}', 'pass'],
])('a judge that says two things has not decided: %s', (text, verdict) => {
  expect(lastJsonObject(text)!.verdict).toEqual(verdict);
});
