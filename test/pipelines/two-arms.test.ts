import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const text = read('pipelines/two-arms.yaml');

describe('the preset two-arms', () => {
  test('the example in its comment is a valid study', () => {
    const lines = text.split('\n').map((line) => line.replace(/^# {0,3}/, ''));
    const start = lines.indexOf('name: my-study');
    const example = parse(lines.slice(start, start + 6).join('\n'));
    expect(example).toEqual({
      name: 'my-study',
      extends: ['autoresearch:two-arms'],
      vars: { train: expect.any(String), compare: expect.any(String), code: expect.any(String) },
    });
    const { params } = parse(text) as { params: Record<string, { default?: unknown }> };
    const needed = Object.keys(params).filter((name) => params[name]?.default === undefined);
    expect(Object.keys(example.vars)).toEqual(needed);
  });
});
