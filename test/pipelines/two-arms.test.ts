import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import command from '../../stages/command/index.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const text = read('pipelines/two-arms.yaml');
const preset = parse(text);
const ajv = new Ajv({ strict: true, allowUnionTypes: true, formats: { shell: true } });
const needed = { train: 'true', compare: 'true', code: '*.mjs' };

describe('the preset two-arms', () => {
  test('tells editors where its schema is', () => {
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../schemas/preset.schema.json');
  });

  test('is a valid config once a study has given its name and three variables', () => {
    const validate = ajv.compile(JSON.parse(read('schemas/config.schema.json')));
    const study = { name: 'my-study', ...preset, vars: { ...preset.vars, ...needed } };
    expect(validate(study), JSON.stringify(validate.errors)).toBe(true);
    const options = ajv.compile(command.options);
    for (const stage of Object.values<{ with: unknown }>(preset.stages)) expect(options(stage.with)).toBe(true);
  });

  test('uses every variable it has, and says in its comment which ones it needs besides', () => {
    const used = new Set([...JSON.stringify(preset.stages).matchAll(/vars\.(\w+)/g)].map(([, name]) => name));
    expect([...used].sort()).toEqual([...Object.keys(preset.vars), ...Object.keys(needed)].sort());
    for (const name of Object.keys(needed)) expect(text).toContain(`#     ${name}: `);
  });

  test('the example in its comment is a valid study', () => {
    const lines = text.split('\n').map((line) => line.replace(/^# {0,3}/, ''));
    const start = lines.indexOf('name: my-study');
    const example = parse(lines.slice(start, start + 6).join('\n'));
    expect(example).toEqual({
      name: 'my-study',
      extends: ['autoresearch:two-arms'],
      vars: { train: expect.any(String), compare: expect.any(String), code: expect.any(String) },
    });
  });
});
