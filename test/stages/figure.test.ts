import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import figure from '../../stages/figure/index.js';
import { golden } from '../report/golden.js';
import { stageContract } from './contract.js';
import { recordingContext } from './recording-context.js';

const spec = {
  width: 200,
  height: 120,
  data: { name: 'runs' },
  mark: 'line',
  encoding: {
    x: { field: 'step', type: 'quantitative' },
    y: { field: 'loss', type: 'quantitative' },
    color: { field: 'arm', type: 'nominal' },
  },
};
const rows = ['a', 'b'].flatMap((arm, at) => [1, 2, 3].map((step) => ({ arm, step, loss: 3 / (step + at) })));
const text = (value: unknown): string => JSON.stringify(value);
const files = { 'loss.vl.json': text(spec), 'runs.json': text(rows) };
const options = { figures: [{ spec: 'loss.vl.json', data: { runs: 'runs.json' }, to: 'papers/figures/loss' }] };

stageContract('figure', {
  examples: [
    { options, world: { files } },
    { options: { figures: [{ ...options.figures[0]!, formats: ['svg'] }] }, world: { files } },
  ],
  refused: [
    {},
    { figures: [] },
    { figures: [{ spec: 'a.json', to: 'a' }] },
    { figures: [{ spec: 'a.json', data: {}, to: 'a' }] },
    { figures: [{ spec: 'a.json', data: { a: 'a.json' }, to: 'a.svg' }] },
    { figures: [{ spec: 'a.json', data: { a: 'a.json' }, to: 'a', formats: ['gif'] }] },
    { figures: [{ spec: 'a.json', data: { a: 'a.json' }, to: 'a', formats: [] }] },
    { figures: [{ spec: 'a.json', data: { a: 'a.json' }, to: 'a', scale: 0 }] },
  ],
});

async function drawn(world: { readonly [path: string]: string }, changes: object = {}) {
  const context = recordingContext({ files: { ...files, ...world } });
  const result = await figure.run({ figures: [{ ...options.figures[0]!, ...changes }] }, context);
  const written = new Map(
    context.effects.flatMap((effect) => (effect.kind === 'write' ? [[effect.path, effect.content] as const] : [])),
  );
  return { result, written };
}

describe('figure', () => {
  test('draws all three forms, and the same bytes again', async () => {
    const [first, second] = [await drawn({}), await drawn({})];
    expect(first.result).toEqual({ ok: true, summary: 'drew papers/figures/loss' });
    expect([...first.written.keys()]).toEqual(['svg', 'pdf', 'png'].map((form) => `papers/figures/loss.${form}`));
    expect([...second.written]).toEqual([...first.written]);
    const bytes = (form: string): Buffer => Buffer.from(first.written.get(`papers/figures/loss.${form}`)!, 'base64');
    expect(bytes('pdf').subarray(0, 5).toString()).toBe('%PDF-');
    expect(bytes('pdf').includes('/FontFile2')).toBe(true);
    expect(bytes('png').subarray(1, 4).toString()).toBe('PNG');
    // Of the golden bytes only the digests are kept: another version of the tools would draw something else, and say so here.
    const digests = ['pdf', 'png'].map((form) => `${form} ${createHash('sha256').update(bytes(form)).digest('hex')}\n`);
    await golden('figure.svg', first.written.get('papers/figures/loss.svg')!);
    await golden('figure.sha256', digests.join(''));
  });

  test('reads JSON lines, YAML and CSV alike', async () => {
    const svg = async (file: string, content: string) => {
      const { result, written } = await drawn({ [file]: content }, { data: { runs: file }, formats: ['svg'] });
      expect(result).toMatchObject({ ok: true });
      return written.get('papers/figures/loss.svg');
    };
    const wanted = await svg('runs.json', text(rows));
    expect(await svg('runs.jsonl', rows.map((row) => `${text(row)}\n`).join(''))).toBe(wanted);
    expect(await svg('runs.yaml', rows.map((row) => `- ${text(row)}\n`).join(''))).toBe(wanted);
    expect(
      await svg(
        'runs.csv',
        `arm,step,loss\n${rows.map(({ arm, step, loss }) => `"${arm}",${step},${loss}\r\n`).join('')}`,
      ),
    ).toBe(wanted);
  });

  const refusals: readonly (readonly [name: string, world: { readonly [path: string]: string }, why: string])[] = [
    ['no rows', { 'runs.json': '[]' }, 'runs.json holds no rows'],
    [
      'NaN as text',
      { 'runs.json': text([{ ...rows[0], loss: 'NaN' }]) },
      'loss.vl.json: row 1 of runs has "NaN" for loss, which is no number',
    ],
    [
      'a missing number',
      { 'runs.json': text([{ ...rows[0], loss: null }]) },
      'loss.vl.json: row 1 of runs has null for loss, which is no number',
    ],
    ['a field that no row has', { 'runs.json': text([{ arm: 'a', step: 1 }]) }, 'loss.vl.json: no row has loss'],
    ['broken data', { 'runs.json': '[{]' }, 'runs.json: '],
    [
      'another table',
      { 'loss.vl.json': text({ ...spec, data: { name: 'other' } }) },
      'loss.vl.json: it draws other, and there are runs; it does not draw runs',
    ],
    [
      'an address',
      { 'loss.vl.json': text({ ...spec, layer: [{ data: { url: 'file:///etc/passwd' } }] }) },
      'loss.vl.json: it reads an address: name files under `data` instead',
    ],
    [
      'an address in a lookup',
      {
        'loss.vl.json': text({
          ...spec,
          transform: [{ lookup: 'arm', from: { data: { url: 'http://127.0.0.1:1/' }, key: 'arm', fields: ['x'] } }],
        }),
      },
      'it reads an address',
    ],
    [
      'a time zone',
      { 'loss.vl.json': text({ ...spec, encoding: { ...spec.encoding, x: { field: 'step', type: 'temporal' } } }) },
      'needs `"scale": {"type": "utc"}`',
    ],
    [
      'the clock',
      { 'loss.vl.json': text({ ...spec, transform: [{ calculate: 'now()', as: 'x' }] }) },
      'now() is something else each time',
    ],
    [
      'code that is none',
      { 'loss.vl.json': text({ ...spec, transform: [{ calculate: 'process.exit(1)', as: 'x' }] }) },
      'loss.vl.json: ',
    ],
    ['a mark that is none', { 'loss.vl.json': text({ ...spec, mark: 'lien' }) }, 'loss.vl.json: '],
  ];
  test.each(refusals)('%s is a failure, and nothing is written', async (_name, world, why) => {
    const { result, written } = await drawn(world);
    expect(result).toMatchObject({ ok: false, failure: { code: 'behaviour-failed' } });
    expect((result as { failure: { detail: string } }).failure.detail).toContain(`papers/figures/loss: `);
    expect((result as { failure: { detail: string } }).failure.detail).toContain(why);
    expect(written.size).toBe(0);
  });

  test('two figures cannot write one file', () => {
    const twice = figure.describe({ figures: [options.figures[0]!, options.figures[0]!] }, {} as never);
    expect(twice.problems?.[0]).toBe('two figures write papers/figures/loss.svg');
  });
});
