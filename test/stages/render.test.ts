import { describe, expect, test } from 'vitest';
import render from '../../stages/render/index.js';
import { stageContract } from './contract.js';
import { plainFacts, recordingContext, type World } from './recording-context.js';

const files = {
  'a.hbs': 'a: {{title}}',
  'b.hbs': 'b: {{title}} {{result.mean}}',
  'result.json': '{"mean": 0.5}',
  'broken.json': '{"mean": NaN}',
};

stageContract('render', {
  examples: [
    { options: { files: [{ template: 'a.hbs', to: 'out/a.md', data: { title: 'A' } }] }, world: { files } },
    {
      options: {
        files: [
          { template: 'a.hbs', to: 'out/a.md', data: { title: 'A' } },
          { template: 'b.hbs', to: 'out/b.md', data: { title: 'B' }, from: { result: 'result.json' } },
        ],
      },
      world: { files },
    },
  ],
  refused: [
    {},
    { files: [] },
    { files: [{ template: 'a.hbs' }] },
    { files: [{ to: 'a.md' }] },
    { files: [{ template: '', to: 'a.md' }] },
    { files: [{ template: 'a.hbs', to: 'a.md', form: {} }] },
    { files: [{ template: 'a.hbs', to: 'a.md', data: 'result.json' }] },
    { files: [{ template: 'a.hbs', to: 'a.md', from: 'result.json' }] },
    { files: [{ template: 'a.hbs', to: 'a.md', from: { result: 1 } }] },
    { files: { template: 'a.hbs', to: 'a.md' } },
  ],
});

test('says what it would read and write', () => {
  const options = {
    files: [
      { template: 'a.hbs', to: 'a.md', from: { x: 'x.json', y: 'y.json' } },
      { template: 'a.hbs', to: 'b.md', from: { x: 'x.json' } },
    ],
  };
  expect(render.describe(options, plainFacts)).toEqual({
    summary: 'a.hbs → a.md, a.hbs → b.md',
    reads: ['a.hbs', 'x.json', 'y.json'],
    writes: ['a.md', 'b.md'],
  });
});

describe('running', () => {
  const run = async (entries: Parameters<typeof render.run>[0]['files'], world: World = { files }) => {
    const context = recordingContext(world);
    const result = await render.run({ files: entries }, context);
    return { result, written: context.effects.filter(({ kind }) => kind === 'write') };
  };
  const failure = (detail: string) => ({ ok: false, failure: { code: 'behaviour-failed', detail } });

  test('writes what the templates give, with names from the config and from JSON files', async () => {
    const { result, written } = await run([
      { template: 'b.hbs', to: 'b.md', data: { title: 'B' }, from: { result: 'result.json' } },
    ]);
    expect(result).toEqual({ ok: true, summary: 'wrote b.md' });
    expect(written).toEqual([{ kind: 'write', path: 'b.md', content: 'b: B 0.5' }]);
  });

  test('an unknown name fails and keeps every file from being written', async () => {
    const { result, written } = await run([
      { template: 'a.hbs', to: 'a.md', data: { title: 'A' } },
      { template: 'b.hbs', to: 'b.md', data: { title: 'B' } },
    ]);
    expect(result).toEqual(failure('b.hbs: "result.mean" is not defined'));
    expect(written).toEqual([]);
  });

  test('the variables of the config are not names of a template, since they would not make it stale', async () => {
    const { result } = await run([{ template: 'a.hbs', to: 'a.md' }], { files, facts: { vars: { title: 'A' } } });
    expect(result).toEqual(failure('a.hbs: "title" is not defined'));
  });

  test('data that is not JSON fails by the name of its file', async () => {
    const { result } = await run([
      { template: 'b.hbs', to: 'b.md', data: { title: 'B' }, from: { result: 'broken.json' } },
    ]);
    expect(result).toMatchObject({ ok: false, failure: { code: 'behaviour-failed' } });
    expect(JSON.stringify(result)).toContain('broken.json is not JSON: ');
  });

  test('a name given twice and a file written twice fail', async () => {
    const both = await run([{ template: 'a.hbs', to: 'a.md', data: { title: 'A' }, from: { title: 'result.json' } }]);
    expect(both.result).toEqual(failure('a.hbs: `title` stands in both `data` and `from`'));
    const entry = { template: 'a.hbs', to: 'a.md', data: { title: 'A' } };
    const twice = await run([entry, { ...entry, data: { title: 'B' } }]);
    expect(twice.result).toEqual(failure('two templates write a.md'));
    expect([...both.written, ...twice.written]).toEqual([]);
  });
});
