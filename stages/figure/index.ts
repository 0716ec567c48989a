import { defineStage, type JsonObject, type StageContext } from 'autoresearch';
import { type Figure, options } from './options.js';
import { specProblems, withTables } from './spec.js';
import { globOf, type Row, readTable } from './tables.js';

export default defineStage({
  name: 'figure',
  summary: 'Draws charts from result files as SVG, PDF and PNG, with the same bytes for the same data',
  version: '1',
  options,
  describe: ({ figures }) => ({
    summary: figures.map(({ spec, to }) => `${spec} → ${to}`).join(', '),
    reads: [...new Set(figures.flatMap(({ spec, data }) => [spec, ...Object.values<string>(data).map(globOf)]))],
    writes: figures.flatMap(filesOf),
    ...twice(figures.flatMap(filesOf)),
  }),
  records: () => [],
  async run({ figures }, context) {
    const drawn = new Map<string, string | Uint8Array>();
    for (const figure of figures) {
      const drawing = await draw(figure, context);
      if (!drawing.ok) return failed(`${figure.to}: ${drawing.why}`);
      for (const [file, content] of drawing.files) drawn.set(file, content);
    }
    // All or nothing: no file is written before every figure has been drawn.
    for (const [file, content] of drawn) await context.writeFile(file, content);
    return { ok: true, summary: `drew ${figures.map(({ to }) => to).join(', ')}` };
  },
});

type Form = 'svg' | 'pdf' | 'png';

const formsOf = ({ formats }: Figure): readonly Form[] => formats ?? ['svg', 'pdf', 'png'];
const filesOf = (figure: Figure): string[] => formsOf(figure).map((form) => `${figure.to}.${form}`);

function twice(files: readonly string[]): { readonly problems?: readonly string[] } {
  const same = files.filter((file, index) => files.indexOf(file) !== index);
  return same.length === 0 ? {} : { problems: same.map((file) => `two figures write ${file}`) };
}

type Drawn =
  | { readonly ok: true; readonly files: readonly (readonly [string, string | Uint8Array])[] }
  | { readonly ok: false; readonly why: string };

async function draw(figure: Figure, context: StageContext): Promise<Drawn> {
  const read = await context.parseData(await context.readFile(figure.spec), 'json');
  if (!read.ok) return { ok: false, why: `${figure.spec}: ${read.why}` };
  const tables = new Map<string, readonly Row[]>();
  for (const [name, source] of Object.entries<string>(figure.data)) {
    const rows = await readTable(source, context);
    if (!rows.ok) return rows;
    tables.set(name, rows.value);
  }
  const problems = specProblems(read.value, tables);
  if (problems.length > 0) return { ok: false, why: `${figure.spec}: ${problems.join('; ')}` };
  const formats = formsOf(figure);
  const drawing = await context.drawFigure(withTables(read.value as JsonObject, tables), {
    formats,
    scale: figure.scale ?? 2,
  });
  if (!drawing.ok) return { ok: false, why: `${figure.spec}: ${drawing.why}` };
  for (const warning of drawing.value.warnings) context.log(`${figure.spec}: ${warning}`);
  return { ok: true, files: formats.map((form) => [`${figure.to}.${form}`, drawing.value[form]!] as const) };
}

const failed = (detail: string) => ({ ok: false, failure: { code: 'behaviour-failed', detail } }) as const;
