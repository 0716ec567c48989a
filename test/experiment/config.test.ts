import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import exampleResearch from '../../autoresearch.config.js';
import { unsupported } from '../../src/compile/rules/unsupported.js';
import type { Config } from '../../src/model/generated/config.js';
import agent from '../../stages/agent/index.js';
import command from '../../stages/command/index.js';
import compare from '../../stages/compare/index.js';
import extract from '../../stages/extract/index.js';
import figure from '../../stages/figure/index.js';
import job from '../../stages/job/index.js';
import parity from '../../stages/parity/index.js';
import render from '../../stages/render/index.js';
import verify from '../../stages/verify/index.js';

// It extends nothing, so it is whole as it stands.
const config = exampleResearch as Config;
const root = new URL('../../', import.meta.url);

test('the example research is a valid config, down to the options of its behaviours', () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, formats: { shell: true } });
  const validate = ajv.compile(JSON.parse(readFileSync(new URL('schemas/config.schema.json', root), 'utf8')));
  expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
  const behaviours: { [name: string]: object } = {
    agent: agent.options,
    command: command.options,
    compare: compare.options,
    extract: extract.options,
    figure: figure.options,
    job: job.options,
    parity: parity.options,
    render: render.options,
    verify: verify.options,
  };
  for (const [name, stage] of Object.entries(config.stages)) {
    const check = ajv.compile(behaviours[stage.uses]!);
    // A text that is one single variable has the kind of the variable.
    const written = JSON.parse(JSON.stringify(stage.with).replaceAll('"{{vars.seeds}}"', '[1, 2]'));
    // What a parity stage asks stands in the entry that it names.
    const given = stage.uses === 'parity' ? { ...config.parity![written.check], ...written } : written;
    expect(check(given), `${name}: ${JSON.stringify(check.errors)}`).toBe(true);
  }
});

test('it is data, and uses nothing that this version cannot enforce', () => {
  expect(JSON.parse(JSON.stringify(config))).toEqual(config);
  expect(unsupported(config)).toEqual([]);
});

test('everything it makes lies in the folder that git ignores', () => {
  const outputs = Object.values(config.stages).flatMap((stage) => stage.outputs ?? []);
  expect(outputs.length).toBeGreaterThan(0);
  for (const output of outputs) expect(output).toMatch(/^experiment\/results\//);
});

test('every script and schema it names is there', () => {
  const named = JSON.stringify(config).match(/experiment\/[\w/-]+\.(mjs|hbs|schema\.json)/g) ?? [];
  expect(new Set(named).size).toBeGreaterThanOrEqual(3);
  for (const path of named) expect(existsSync(new URL(path, root)), path).toBe(true);
});
