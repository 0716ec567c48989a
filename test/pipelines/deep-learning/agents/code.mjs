// What the scripted coder writes, by path.
export const code = {
  'src/data/load.mjs': `import { readFileSync } from 'node:fs';

/** The corpus as numbers: nine tenths to learn from, the rest to be tested with. */
export function load() {
  const text = readFileSync('data/corpus.txt', 'utf8').trim();
  const letters = [...new Set(text)].sort();
  const tokens = [...text].map((letter) => letters.indexOf(letter));
  const cut = Math.floor(tokens.length * 0.9);
  return { letters, train: tokens.slice(0, cut), test: tokens.slice(cut) };
}
`,
  'src/models/letters.mjs': `/** Logits of the next letter: one row for all (unigram), or one for each letter before (bigram). */
export const create = (arm, size) => ({ arm, size, rows: Array.from({ length: arm === 'bigram' ? size : 1 }, () => Array(size).fill(0)) });

export const row = (model, before) => model.rows[model.arm === 'bigram' ? before : 0];

export function probabilities(logits) {
  const most = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
`,
  'src/training/train.mjs': `import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { load } from '../data/load.mjs';
import { create, probabilities, row } from '../models/letters.mjs';
import { save } from './checkpoint.mjs';

const { ARM, SEED, STEPS, CONFIG, OUT } = process.env;
const rate = Number(/^learning_rate: (.*)$/m.exec(readFileSync(CONFIG, 'utf8'))[1]);
const { letters, train } = load();
const model = create(ARM, letters.length);
let state = Number(SEED) * 2654435761;
const random = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
mkdirSync(OUT, { recursive: true });
rmSync(\`\${OUT}/log.jsonl\`, { force: true });
const batch = 32;
for (let step = 1; step <= Number(STEPS); step++) {
  let loss = 0;
  for (let index = 0; index < batch; index++) {
    const at = 1 + random(train.length - 1);
    const logits = row(model, train[at - 1]);
    const chances = probabilities(logits);
    loss -= Math.log(chances[train[at]]) / batch;
    chances.forEach((chance, letter) => {
      logits[letter] -= rate * (chance - (letter === train[at] ? 1 : 0));
    });
  }
  appendFileSync(\`\${OUT}/log.jsonl\`, \`\${JSON.stringify({ step, loss: Number(loss.toFixed(4)), arm: ARM, seed: Number(SEED) })}\\n\`);
  if (step % 100 === 0 || step === 1) console.log(\`step \${step} loss \${loss.toFixed(4)}\`);
}
save(OUT, model);
`,
  'src/training/checkpoint.mjs': `import { readFileSync, writeFileSync } from 'node:fs';

export const save = (folder, model) => writeFileSync(\`\${folder}/checkpoint.json\`, JSON.stringify(model));

export const load = (folder) => JSON.parse(readFileSync(\`\${folder}/checkpoint.json\`, 'utf8'));
`,
  'src/training/checkpoint-test.mjs': `import { readFileSync } from 'node:fs';
import { load, save } from './checkpoint.mjs';

const { OUT } = process.env;
const before = readFileSync(\`\${OUT}/checkpoint.json\`, 'utf8');
save(OUT, load(OUT));
if (readFileSync(\`\${OUT}/checkpoint.json\`, 'utf8') !== before) {
  console.error('the checkpoint is another one when it is saved again');
  process.exit(1);
}
`,
  'src/evaluation/evaluate.mjs': `import { writeFileSync } from 'node:fs';
import { load as loadData } from '../data/load.mjs';
import { probabilities, row } from '../models/letters.mjs';
import { load } from '../training/checkpoint.mjs';

const { OUT, ARM, SEED } = process.env;
const model = load(OUT);
const { test } = loadData();
const start = performance.now();
let loss = 0;
for (let at = 1; at < test.length; at++) loss -= Math.log(probabilities(row(model, test[at - 1]))[test[at]]);
const seconds = Math.max(1e-6, (performance.now() - start) / 1000);
const perplexity = Math.exp(loss / (test.length - 1)).toFixed(3);
const memory = (process.memoryUsage().rss / 1e6).toFixed(1);
const speed = (test.length / seconds).toFixed(0);
writeFileSync(
  \`\${OUT}/results.yaml\`,
  \`arm: \${ARM}\\nseed: \${SEED}\\nmetrics:\\n  perplexity: \${perplexity}\\n  tokens_per_second: \${speed}\\n  peak_memory_mb: \${memory}\\n\`,
);
console.log(\`\${OUT}: perplexity \${perplexity}\`);
`,
};

export const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  required: ['arm', 'seed', 'metrics'],
  properties: {
    arm: { type: 'string' },
    seed: { type: 'integer' },
    metrics: {
      type: 'object',
      required: ['perplexity', 'tokens_per_second', 'peak_memory_mb'],
      properties: {
        perplexity: { type: 'number', exclusiveMinimum: 1 },
        tokens_per_second: { type: 'number', exclusiveMinimum: 0 },
        peak_memory_mb: { type: 'number', exclusiveMinimum: 0 },
      },
    },
  },
};

export const tasks = `tasks:
  - id: T1
    title: Data pipeline
    description: The corpus as numbers, split into nine tenths and one tenth.
    files: [src/data/load.mjs]
    verify: node --check src/data/load.mjs
  - id: T2
    title: Model
    description: A table of logits, one row for unigram, one for each letter before for bigram.
    files: [src/models/letters.mjs]
    verify: node --check src/models/letters.mjs
  - id: T3
    title: Training loop, checkpointing and logging
    description: Plain SGD with the learning rate of the config; log.jsonl; a checkpoint at the end, and its test.
    depends_on: [T1, T2]
    files: [src/training/train.mjs, src/training/checkpoint.mjs, src/training/checkpoint-test.mjs]
    verify: node --check src/training/train.mjs
    must_haves:
      key_links: [{ from: src/training/train.mjs, to: src/data/load.mjs, pattern: data/load }]
`;
