import { defineStage, type JsonObject, type OptionsOf, type StageContext } from 'autoresearch';

const path = { type: 'string', minLength: 1 } as const;

const file = {
  type: 'object',
  additionalProperties: false,
  required: ['template', 'to'],
  properties: {
    template: { ...path, description: 'The Handlebars file.' },
    to: { ...path, description: 'The file to write.' },
    data: { type: 'object', additionalProperties: true, description: 'Names for the template, with their values.' },
    from: { type: 'object', additionalProperties: path, description: 'Names for the template, each with a JSON file.' },
  },
} as const;

export default defineStage({
  name: 'render',
  summary: 'Fills in Handlebars templates and writes the files',
  version: '1',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['files'],
    properties: { files: { type: 'array', minItems: 1, items: file, description: 'The files to make.' } },
  },
  describe: ({ files }) => ({
    summary: files.map(({ template, to }) => `${template} → ${to}`).join(', '),
    reads: [...new Set(files.flatMap(({ template, from }) => [template, ...Object.values<string>(from ?? {})]))],
    writes: files.map(({ to }) => to),
  }),
  records: () => [],
  async run({ files }, context) {
    const texts = new Map<string, string>();
    for (const entry of files) {
      if (texts.has(entry.to)) return failed(`two templates write ${entry.to}`);
      const filled = await fill(entry, context);
      if (!filled.ok) return filled;
      texts.set(entry.to, filled.text);
    }
    // All or nothing: no file is written before every template has been filled in.
    for (const [to, text] of texts) await context.writeFile(to, text);
    return { ok: true, summary: `wrote ${[...texts.keys()].join(', ')}` };
  },
});

async function fill({ template, data = {}, from = {} }: OptionsOf<typeof file>, context: StageContext) {
  const names: Record<string, unknown> = { ...data };
  for (const [name, source] of Object.entries<string>(from)) {
    if (Object.hasOwn(names, name)) return failed(`${template}: \`${name}\` stands in both \`data\` and \`from\``);
    const text = await context.readFile(source);
    try {
      names[name] = JSON.parse(text);
    } catch (error) {
      return failed(`${source} is not JSON: ${(error as Error).message}`);
    }
  }
  const text = await context.readFile(template);
  try {
    return { ok: true, text: await context.render(text, names as JsonObject) } as const;
  } catch (error) {
    return failed(`${template}: ${(error as Error).message}`);
  }
}

const failed = (detail: string) => ({ ok: false, failure: { code: 'behaviour-failed', detail } }) as const;
