// All six roles, and the reviewer. The argument says who is not to be trusted: `edits-evaluation`, `wrong-baseline`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { code, schema, tasks } from './code.mjs';

const prompt = readFileSync(0, 'utf8');
const { AUTORESEARCH_TASK: task, AUTORESEARCH_ROLE: role } = process.env;
const hostile = process.argv[2];
const put = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const answer = (reply) => console.log(JSON.stringify({ usd: 0.1, ...reply }));
const done = (summary, more = {}) => answer({ outcome: 'done', summary, ...more });
// What the baseline is found to be, or 7 % less.
const reported = hostile === 'wrong-baseline' ? 10.65 / 1.07 : 10.65;
const miscounts = 'JSON.stringify({ ...model, saved: (model.saved ?? 0) + 1 })';

const work = {
  idea() {
    put('idea/idea.md', '# Letters\n\nDoes the letter before help? It would not if the perplexity were no lower.\n');
  },
  literature() {
    put('literature/related-work.md', '# Related work\n\nShannon (1951) measured the entropy of letters.\n');
  },
  design() {
    const plan = 'SGD, learning rate 0.05, batches of 32, a tenth of the learning rate after 200 steps.';
    put('design/plan.md', `# Plan\n\nTwo arms, tables of logits: unigram and bigram. ${plan}\n`);
    put('design/tasks.yaml', tasks);
    const source = 'source: Shannon 1951\n  code: https://example.invalid/letters';
    put('design/baselines.yaml', `unigram:\n  ${source}\n  reported: { perplexity: ${reported.toFixed(2)} }\n`);
    const measured = 'tokens_per_second: of the evaluation\npeak_memory_mb: of the evaluation';
    put('design/metrics.yaml', `perplexity: exp of the mean loss on the test split\n${measured}\n`);
    put('design/metrics.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
  },
  environment() {
    put('environment/setup.sh', 'mkdir -p src/models src/data src/training src/evaluation\n');
    put('environment/check.sh', 'test -s data/corpus.txt && echo "no GPU: everything runs on the CPU"\n');
  },
  'implement:T1': () => put('src/data/load.mjs', code['src/data/load.mjs']),
  'implement:T2': () => put('src/models/letters.mjs', code['src/models/letters.mjs']),
  'implement:T3'() {
    const again = prompt.includes('sent back');
    const { 'src/training/train.mjs': train, 'src/training/checkpoint.mjs': checkpoint } = code;
    const decayed = train.replace('rate * (chance', '(step > 200 ? rate / 10 : rate) * (chance');
    // The decay is forgotten until the gate asks for it; a checkpoint that changes when it is saved is for the tests to find.
    put('src/training/train.mjs', again ? decayed : train);
    put('src/training/checkpoint.mjs', again ? checkpoint : checkpoint.replace('JSON.stringify(model)', miscounts));
    put('src/training/checkpoint-test.mjs', code['src/training/checkpoint-test.mjs']);
  },
  baselines: () =>
    put('baselines/unigram.md', 'The reference is the unigram arm, with the same data and evaluation.\n'),
  evaluation: () => put('src/evaluation/evaluate.mjs', code['src/evaluation/evaluate.mjs']),
  configs() {
    for (const arm of ['unigram', 'bigram'])
      for (const seed of [1, 2, 3])
        put(`experiments/exp-${arm}-${seed}/config.yaml`, `arm: ${arm}\nseed: ${seed}\nlearning_rate: 0.05\n`);
  },
  'describe-figures:figure=loss'() {
    const as = (field, type) => ({ field, type });
    const [x, y] = [as('step', 'quantitative'), as('loss', 'quantitative')];
    const encoding = { x, y, color: as('arm', 'nominal'), detail: as('seed', 'nominal') };
    const spec = { data: { name: 'runs' }, mark: 'line', encoding };
    put('papers/figures/loss.vl.json', `${JSON.stringify(spec, null, 2)}\n`);
    put('papers/figures/loss.md', 'Loss of both arms over the steps, a line for each seed.\n');
  },
  'writing:section=method': () => put('papers/sections/method.md', '# Method\n\nTwo tables of logits.\n'),
  'writing:section=results': () => put('papers/sections/results.md', '# Results\n\nSee the comparison.\n'),
};

function fix() {
  if (hostile === 'edits-evaluation') {
    const easier = code['src/evaluation/evaluate.mjs'].replace('Math.exp(loss', '0.5 * Math.exp(loss');
    put('src/evaluation/evaluate.mjs', easier);
    return done('all tests pass now');
  }
  put('src/training/checkpoint.mjs', code['src/training/checkpoint.mjs']);
  return done('a checkpoint does not count how often it was saved');
}

function judge() {
  const decays = readFileSync('src/training/train.mjs', 'utf8').includes('rate / 10');
  const missing = 'design/plan.md lowers the learning rate after 200 steps; src/training/train.mjs does not';
  const [verdict, reason] = decays ? ['pass', 'all tests pass, and the code matches the plan'] : ['revise', missing];
  answer({ verdict, score: decays ? 0.9 : 0.4, reasons: [reason] });
}

if (role === 'planner') answer({ outcome: 'failed', summary: 'this is not for me to decide' });
else if (role === 'fixer') fix();
else if (role === 'judge') judge();
else if (role === 'reviewer')
  answer({ verdict: 'HEALTHY', fidelity: 'FULL', issues: [], risks: ['the corpus is small'], confidence: 0.9 });
else if (task === 'analysis')
  done('bigram has the lower perplexity', { notes: '# Analysis\n\nThe letter before helps.' });
else {
  work[task]();
  done(`${task} is done`);
}
