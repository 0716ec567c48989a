// Makes everything that follows from schemas/config.schema.json and the option schemas of stages/: TypeScript types,
// validators, the schema for presets and docs/config.md. `--check` writes nothing committed and fails when it differs.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Ajv from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { compile } from 'json-schema-to-typescript';
import { cliReference, configReference, diagnosticsReference } from './references.mjs';
import { presetSchema } from './preset-schema.mjs';

const check = process.argv.includes('--check');
const stale = [];

const schema = JSON.parse(readFileSync('schemas/config.schema.json', 'utf8'));
commit('src/model/generated/config.ts', await typesOf(schema));
commit('schemas/preset.schema.json', `${JSON.stringify(presetSchema(schema), null, 2)}\n`);
commit('docs/config.md', configReference(schema));
commit('docs/diagnostics.md', diagnosticsReference((await loadSource('src/model/catalogue.ts')).catalogue));
commit('docs/cli.md', cliReference(await loadSource('src/cli/commands.ts')));

// Validators are not committed: they are large, and a build makes them anew in a moment.
const validator = '(value: unknown) => boolean';
put('src/config/generated/validate-config.js', moduleOf({ config: schema }));
put('src/config/generated/validate-config.d.ts', `export declare const isValid: ${validator};\n`);
put('src/adapters/generated/stage-validators.js', moduleOf(await stageSchemas()));
put(
  'src/adapters/generated/stage-validators.d.ts',
  `export declare const validators: Readonly<Record<string, (${validator}) | undefined>>;\n`,
);

if (stale.length > 0) {
  console.error(`${stale.join(', ')}: not what the schemas say. Run \`npm run generate\` and commit the result.`);
  process.exit(1);
}

function typesOf(source) {
  return compile(source, 'Config', {
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
    formats: { shell: true },
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

/** The option schemas of the built-in behaviours, read from the very modules that run. */
async function stageSchemas() {
  const schemas = {};
  for (const name of readdirSync('stages').filter(
    (entry) => !entry.startsWith('_') && existsSync(`stages/${entry}/index.ts`),
  )) {
    schemas[name] = (await loadSource(`stages/${name}/index.ts`)).default.options;
  }
  return schemas;
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
