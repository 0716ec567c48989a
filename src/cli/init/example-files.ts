import type { ConfigForm } from './config-form.js';

/** What `init` writes, as data. Paths are relative to the new project; nothing here touches a disk. */
export interface InitFile {
  readonly path: string;
  readonly content: string;
}

/** A study that runs at once with nothing but Node. `name` is a valid study name. */
export const exampleFiles = (name: string, { form, schema }: ConfigForm): readonly InitFile[] => [
  form === 'yaml'
    ? { path: 'autoresearch.config.yaml', content: yamlConfig(name, schema) }
    : { path: 'autoresearch.config.ts', content: config(name) },
  { path: 'stages/table.ts', content: tableStage },
  { path: 'schemas/estimate.schema.json', content: estimateSchema },
  ...scripts,
  { path: 'README.md', content: readme(name, form) },
];

/** Values for a preset with which it runs at once, and the files that they speak of. */
export interface Starter {
  readonly vars: { readonly [name: string]: unknown };
  readonly files: readonly InitFile[];
}

export const starterOf = (entry: string, name: string, { form }: ConfigForm): Starter | undefined =>
  entry === 'autoresearch:two-arms'
    ? { vars: twoArms, files: [...scripts, { path: 'README.md', content: readme(name, form) }] }
    : undefined;

const config = (
  name: string,
): string => `// A study, written as data. See it with \`npx autoresearch plan\`, run it with \`npx autoresearch exec\`.
// The question: do evenly spread points estimate pi better than random ones?
import { defineConfig } from 'autoresearch';

export default defineConfig({
  name: '${name}',

  // Stages use these as {{vars.points}}; \`--set points=1000\` changes one for a single run.
  vars: { seeds: [1, 2, 3], points: 20000 },

  stages: {
    // Six tasks: one of each arm and seed. When an input changes, they run again; a missing or empty output is a failure.
    estimate: {
      uses: 'command',
      matrix: { arm: ['random', 'even'], seed: '{{vars.seeds}}' },
      with: {
        run: 'node scripts/estimate.mjs {{matrix.arm}} {{matrix.seed}} results/runs/{{matrix.arm}}-{{matrix.seed}}.json',
      },
      env: { POINTS: '{{vars.points}}' },
      inputs: ['scripts/estimate.mjs'],
      outputs: ['results/runs/{{matrix.arm}}-{{matrix.seed}}.json'],
      schema: { 'results/runs/{{matrix.arm}}-{{matrix.seed}}.json': 'schemas/estimate.schema.json' },
      timeout: '1m',
      retry: { attempts: 2 },
    },

    // Comes after \`estimate\` because it reads what that writes.
    compare: {
      uses: 'command',
      with: {
        run: 'node scripts/compare.mjs results/runs results/comparison.json random even {{vars.seeds}}',
      },
      inputs: ['scripts/compare.mjs', 'results/runs/*.json'],
      outputs: ['results/comparison.json'],
      timeout: '1m',
    },

    // A behaviour of your own: see stages/table.ts.
    table: {
      uses: './stages/table.ts',
      with: { from: 'results/comparison.json', to: 'results/table.md' },
      outputs: ['results/table.md'],
      timeout: '1m',
    },
  },
});
`;

const yamlConfig = (name: string, schema: string): string => `# yaml-language-server: $schema=${schema}
#
# A study, written as data. See it with \`npx autoresearch plan\`, run it with \`npx autoresearch exec\`.
# The question: do evenly spread points estimate pi better than random ones?
name: ${name}

# Stages use these as {{vars.points}}; \`--set points=1000\` changes one for a single run.
vars: { seeds: [1, 2, 3], points: 20000 }

stages:
  # Six tasks: one of each arm and seed. When an input changes, they run again; a missing or empty output is a failure.
  estimate:
    uses: command
    matrix: { arm: [random, even], seed: "{{vars.seeds}}" }
    with:
      run: node scripts/estimate.mjs {{matrix.arm}} {{matrix.seed}} results/runs/{{matrix.arm}}-{{matrix.seed}}.json
    env: { POINTS: "{{vars.points}}" }
    inputs: [scripts/estimate.mjs]
    outputs: ["results/runs/{{matrix.arm}}-{{matrix.seed}}.json"]
    schema: { "results/runs/{{matrix.arm}}-{{matrix.seed}}.json": schemas/estimate.schema.json }
    timeout: 1m
    retry: { attempts: 2 }

  # Comes after \`estimate\` because it reads what that writes.
  compare:
    uses: command
    with:
      run: node scripts/compare.mjs results/runs results/comparison.json random even {{vars.seeds}}
    inputs: [scripts/compare.mjs, "results/runs/*.json"]
    outputs: [results/comparison.json]
    timeout: 1m

  # A behaviour of your own: see stages/table.ts.
  table:
    uses: ./stages/table.ts
    with: { from: results/comparison.json, to: results/table.md }
    outputs: [results/table.md]
    timeout: 1m
`;

/** The question: do evenly spread points estimate pi better than random ones? */
const twoArms = {
  arms: ['random', 'even'],
  seeds: [1, 2, 3],
  train: 'node scripts/estimate.mjs "$ARM" "$SEED" "$OUT"',
  compare: 'node scripts/compare.mjs "$RUNS" "$OUT" $ARMS $SEEDS',
  code: 'scripts/*.mjs',
};

const estimateScript = `// Estimates pi from points in a square: node scripts/estimate.mjs random|even SEED FILE
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const [arm, seed, out] = process.argv.slice(2);
const count = Number(process.env.POINTS ?? 20000);
if (!['random', 'even'].includes(arm) || !Number.isInteger(Number(seed)) || !(count > 0)) {
  console.error('usage: node scripts/estimate.mjs random|even SEED FILE');
  process.exit(1);
}

// Steps of an irrational size fill the square evenly; the seed decides where they start.
let state = Number(seed) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const [startX, startY] = [random(), random()];
let inside = 0;
for (let index = 0; index < count; index++) {
  const [x, y] =
    arm === 'random'
      ? [random(), random()]
      : [(startX + index * 0.7548776662466927) % 1, (startY + index * 0.5698402909980532) % 1];
  if (x * x + y * y < 1) inside++;
}
const estimate = (4 * inside) / count;
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, \`\${JSON.stringify({ arm, seed: Number(seed), estimate, error: Math.abs(estimate - Math.PI) })}\\n\`);
console.log(\`pi is about \${estimate}\`);
`;

const compareScript = `// Compares the errors of the arms: node scripts/compare.mjs RUNS FILE BASELINE VARIANT SEED…
import { readFileSync, writeFileSync } from 'node:fs';

const [runs, out, baseline, variant, ...seeds] = process.argv.slice(2);
if (seeds.length === 0) throw new Error('usage: node scripts/compare.mjs RUNS FILE BASELINE VARIANT SEED…');
const rows = seeds.map((seed) => {
  const row = { seed: Number(seed), baseline: read(baseline, seed), variant: read(variant, seed) };
  return { ...row, difference: row.variant - row.baseline };
});
const wins = rows.filter(({ difference }) => difference < 0).length;
writeFileSync(out, \`\${JSON.stringify({ baseline, variant, rows, wins }, null, 2)}\\n\`);
console.log(\`\${variant} is nearer than \${baseline} in \${wins} of \${rows.length} seeds\`);

/** A run that is missing or has no number stops the comparison: it is not a zero. */
function read(arm, seed) {
  const { error } = JSON.parse(readFileSync(\`\${runs}/\${arm}-\${seed}.json\`, 'utf8'));
  if (!Number.isFinite(error)) throw new Error(\`\${arm}-\${seed} has no error, but \${error}\`);
  return error;
}
`;

const tableStage = `// A behaviour of your own. It says what it takes, what it would do (for \`plan\`), and does it; everything it does goes through
// the context. Change it, and the stages that use it run again.
import { defineStage } from 'autoresearch';

export default defineStage({
  name: 'table',
  summary: 'Writes a comparison as a table in Markdown',
  version: '1',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['from', 'to'],
    properties: {
      from: { type: 'string', minLength: 1, description: 'The comparison to read.' },
      to: { type: 'string', minLength: 1, description: 'The table to write.' },
    },
  },
  describe: ({ from, to }) => ({ summary: \`\${from} → \${to}\`, reads: [from], writes: [to] }),
  async run({ from, to }, context) {
    const { baseline, variant, rows, wins } = JSON.parse(await context.readFile(from)) as Comparison;
    const lines = rows.map((row) => \`| \${row.seed} | \${row.baseline.toFixed(5)} | \${row.variant.toFixed(5)} |\`);
    const head = [\`| seed | error of \${baseline} | error of \${variant} |\`, '| ---: | ---: | ---: |'];
    await context.writeFile(to, \`\${[...head, ...lines].join('\\n')}\\n\`);
    return { ok: true, summary: \`\${variant} is nearer in \${wins} of \${rows.length} seeds\` };
  },
});

interface Comparison {
  readonly baseline: string;
  readonly variant: string;
  readonly rows: readonly { readonly seed: number; readonly baseline: number; readonly variant: number }[];
  readonly wins: number;
}
`;

const estimateSchema = `{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": "object",
  "additionalProperties": false,
  "required": ["arm", "seed", "estimate", "error"],
  "properties": {
    "arm": { "type": "string", "enum": ["random", "even"] },
    "seed": { "type": "integer" },
    "estimate": { "type": "number", "minimum": 0, "maximum": 4 },
    "error": { "type": "number", "minimum": 0 }
  }
}
`;

const scripts: readonly InitFile[] = [
  { path: 'scripts/estimate.mjs', content: estimateScript },
  { path: 'scripts/compare.mjs', content: compareScript },
];

const readme = (name: string, form: ConfigForm['form']): string => `# ${name}

\`\`\`sh
npx autoresearch plan    # what would be done and why; changes nothing
npx autoresearch exec    # do it; the next time, only what changed since is done again
npx autoresearch status  # how the newest run stands
\`\`\`

The study is \`autoresearch.config.${form}\`. An editor completes it where the package is installed beside it.
`;
