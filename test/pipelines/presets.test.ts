import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadPreset } from '../../src/config/preset-facts.js';
import { Project } from '../support/project.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const names = readdirSync(new URL('../../pipelines', import.meta.url))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));
const ajv = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true, formats: { shell: true } });
const validate = ajv.compile(JSON.parse(read('schemas/preset.schema.json')));

describe.each(names)('the preset %s', (name) => {
  const text = read(`pipelines/${name}.yaml`);

  test('fits the published schema, which editors find through its first line', () => {
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../schemas/preset.schema.json');
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });

  test('says what it does with a picture, documents its parameters, and stands in the table of presets', async () => {
    const preset = await loadPreset(`autoresearch:${name}`, {
      cwd: '/',
      presetsDir: new URL('../../pipelines', import.meta.url).pathname,
      door: {},
    });
    if (!preset.ok) throw new Error(JSON.stringify(preset.error));
    const { comment, params } = preset.value.facts;
    expect(comment).toContain('──►');
    for (const [param, { description }] of Object.entries(params))
      expect(description, param).toMatch(/^[A-Z`$0-9].{10,}\.$/s);
    expect(read('pipelines/README.md')).toContain(`[${name}](${name}.yaml)`);
  });

  test('passes its own check, with every variant', async () => {
    const { stdout, stderr, code } = await new Project({}).run('presets', 'check', name);
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toContain(`autoresearch:${name} is sound: `);
  });
});
