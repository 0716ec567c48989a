import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact } from '../../src/model/secrets/redact.js';

describe('redact', () => {
  test.each([
    ['Incorrect API key provided: sk-proj-abcdEFGH1234567890', 'Incorrect API key provided: [redacted]'],
    ['remote: ghp_abcdefghijklmnopqrstuvwxyz0123456789 rejected', 'remote: [redacted] rejected'],
    ['AKIAIOSFODNN7EXAMPLE is not known', '[redacted] is not known'],
    ['> Authorization: Bearer abc.DEF-123456', '> Authorization: Bearer [redacted]'],
    ['OPENAI_API_KEY=abc python train.py', 'OPENAI_API_KEY=[redacted] python train.py'],
    ["export HF_TOKEN='hf x y'", 'export HF_TOKEN=[redacted]'],
    ['DB_PASSWORD=hunter2 PGUSER=me', 'DB_PASSWORD=[redacted] PGUSER=me'],
    ['TOKEN=abc', 'TOKEN=[redacted]'],
    ['PASSWORD: hunter2', 'PASSWORD: [redacted]'],
    ['{"api_key": "abc", "model": "m"}', '{"api_key": [redacted], "model": "m"}'],
    [
      'fatal: unable to access https://me:hunter2@example.org/x',
      'fatal: unable to access https://me:[redacted]@example.org/x',
    ],
    ['curl "https://x.org/?access_token=abc&page=2"', 'curl "https://x.org/?access_token=[redacted]&page=2"'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[redacted]'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test.each([
    "KeyError: 'lr'",
    'SyntaxError: Unexpected token: }',
    'max_tokens=512, tokens: 1200',
    'primary key: id',
    'monkey=3 sk-1 basic idea',
    'risk-free and disk-based',
  ])('%s stays', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('nothing is left to do the second time', () => {
    const parts = fc.constantFrom(
      'TOKEN=',
      'x',
      ' ',
      '"',
      "'",
      'Bearer ',
      'sk-abcdefghijklmnop',
      '[redacted]',
      'A_KEY:',
      'https://u:',
      'p@',
      '=',
      ':',
      'password',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts, { maxLength: 12 }).map((all) => all.join('')),
        ),
        (text) => {
          expect(redact(redact(text))).toBe(redact(text));
        },
      ),
    );
  });
});
