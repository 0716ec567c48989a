import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainLine } from '../../src/report/words/plain-line.js';

test.each([
  ['plain', 'plain'],
  ['\u001B[32mgreen\u001B[0m', 'green'],
  ['\u001B[2J\u001B[Hcleared', 'cleared'],
  ['\u001B]0;a title\u0007text', 'text'],
  ['\u001B]8;;https://example.invalid\u001B\\link\u001B]8;;\u001B\\', 'link'],
  ['10%\r50%\r100%', '100%'],
  ['100%\r\n', '100%'],
  ['a\tb', 'a    b'],
  ['bell\u0007', 'bell'],
  ['user\u202Enimda', 'usernimda'],
  ['\u009B31mred', 'red'],
])('%j is shown as %j', (text, shown) => {
  expect(plainLine(text)).toBe(shown);
});

test('whatever a program writes, no control character is left', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('\u001B', '[', ']', '\u009B', '3', 'm', 'a', '\n', '\r', '\u0007', '\\', '\t'),
      }),
      (text) => {
        expect(plainLine(text)).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
      },
    ),
  );
});
