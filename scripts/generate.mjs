// Makes everything that follows from schemas/config.schema.json and the option schemas of stages/: TypeScript types,
// validators, the schema for presets and docs/config.md; and the table of attacks in docs/security.md. `--check` writes nothing committed and fails when it differs.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Ajv from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { compile } from 'json-schema-to-typescript';
import { withTable } from './hostile-rows.mjs';
import { paramsSchema, presetSchema } from './preset-schema.mjs';
import { cliReference, configReference, diagnosticsReference } from './references.mjs';
import { stagesReference } from './stages-reference.mjs';

const check = process.argv.includes('--check');
const stale = [];
let loaded;

const schema = JSON.parse(readFileSync('schemas/config.schema.json', 'utf8'));
commit('src/model/generated/config.ts', await typesOf(schema));
commit('src/model/generated/params.ts', await typesOf(paramsSchema(schema), 'Params'));
commit('schemas/preset.schema.json', `${JSON.stringify(presetSchema(schema), null, 2)}\n`);
commit('docs/config.md', configReference(schema));
commit('docs/diagnostics.md', diagnosticsReference((await loadSource('src/model/catalogue/catalogue.ts')).catalogue));
commit('docs/cli.md', cliReference(await loadSource('src/cli/line/commands.ts')));
commit(
  'docs/stages.md',
  stagesReference(await behaviours(), (await loadSource('src/report/reference/option-rows.ts')).optionRows),
);

commit(
  'docs/security.md',
  withTable(readFileSync('docs/security.md', 'utf8'), JSON.parse(readFileSync('test/hostile/attacks.json', 'utf8'))),
);

// Validators are not committed: they are large, and a build makes them anew in a moment.
const validator = '(value: unknown) => boolean';
put('src/config/generated/validate-config.js', moduleOf({ config: schema }));
put('src/config/generated/validate-config.d.ts', `export declare const isValid: ${validator};\n`);
put('src/config/generated/validate-params.js', moduleOf({ config: paramsSchema(schema) }));
put('src/config/generated/validate-params.d.ts', `export declare const isValid: ${validator};\n`);
put('src/adapters/generated/stage-validators.js', moduleOf(await stageSchemas()));
put(
  'src/adapters/generated/stage-validators.d.ts',
  `export declare const validators: Readonly<Record<string, (${validator}) | undefined>>;\n`,
);

// Parsed ahead, because each run ends with it and loading the grammar would be most of the work.
put('src/report/generated/execution-nodes.js', `export const nodes = ${JSON.stringify(await executionNodes())};\n`);
put(
  'src/report/generated/execution-nodes.d.ts',
  `import type { TemplateNode } from '../../source/template-node.js';\nexport declare const nodes: readonly TemplateNode[];\n`,
);

if (stale.length > 0) {
  console.error(
    `${stale.join(', ')}: not what the schemas and test/hostile/attacks.json say. Run \`npm run generate\` and commit the result.`,
  );
  process.exit(1);
}

function typesOf(source, name = 'Config') {
  return compile(source, name, {
    bannerComment: '// Made from schemas/config.schema.json by `npm run generate`. Do not edit.',
    additionalProperties: false,
    enableConstEnums: false,
    // A list that may not be empty would become a tuple, which no `string[]` of a user's fits.
    ignoreMinAndMaxItems: true,
    format: true,
    style: { singleQuote: true, printWidth: 120 },
  });
}

/** Stand-alone checking code, so that a valid config needs no schema compiler at run time. */
function moduleOf(schemas) {
  const ajv = new Ajv.default({
    strict: true,
    allowUnionTypes: true,
    // Yes or no is all that is asked; a mistake is explained by the schema itself. Shared parts stay shared: a third of the size.
    messages: false,
    unicode: false,
    logger: false,
    inlineRefs: false,
    formats: { shell: true, expression: true },
    code: { source: true, esm: true, lines: true },
  });
  if (schemas.config)
    return `${withoutWords(standalone.default(ajv, ajv.compile(schemas.config)))}\nexport const isValid = validate;\n`;
  const names = Object.keys(schemas);
  for (const name of names) ajv.addSchema(schemas[name], name);
  const code = standalone.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  return `${withoutWords(code)}\nexport const validators = { ${names.join(', ')} };\n`;
}

/** Nobody reads the errors of these validators, and building them is most of their code. */
function withoutWords(code) {
  return code
    .replace(/= \[\{instancePath.*\}\];$/gm, '= [0];')
    .replace(/^(const err\d+ = )\{instancePath.*\};$/gm, '$10;');
}

async function executionNodes() {
  const { executionTemplate } = await loadSource('src/report/record/execution-template.ts');
  const { loadGrammar } = await loadSource('src/source/template/template-grammar.ts');
  const parsed = (await loadGrammar())(executionTemplate);
  if (!parsed.ok)
    throw new Error(`the template of execution.md: ${parsed.error.map(({ message }) => message).join('; ')}`);
  return parsed.value;
}

/** The option schemas of the built-in behaviours, read from the very modules that run. */
async function stageSchemas() {
  return Object.fromEntries((await behaviours()).map(({ name, options }) => [name, options]));
}

async function behaviours() {
  loaded ??= Promise.all(
    readdirSync('stages')
      .filter((entry) => !entry.startsWith('_') && existsSync(`stages/${entry}/index.ts`))
      .map(async (name) => ({ ...(await loadSource(`stages/${name}/index.ts`)).default, name })),
  );
  return loaded;
}

/** A TypeScript module of ours as it is; what it imports lazily stays outside. */
async function loadSource(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    alias: { autoresearch: './src/index.ts' },
    plugins: [
      {
        name: 'lazy',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\./ }, ({ path, kind }) =>
            kind === 'dynamic-import' ? { path, external: true } : undefined,
          ),
      },
    ],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

function commit(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  if (check) stale.push(file);
  else put(file, text);
}

function put(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
