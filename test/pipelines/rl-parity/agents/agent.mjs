// The agents of the recorded study: `node agent.mjs AGENT [slip]`. They do what a model would do, slips included: one changes a default that
// both arms share, one leaves a gap. The prompt is read, the work is done in the current folder, the reply is the last line.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [, , agent, slip] = process.argv;
const { AUTORESEARCH_TASK: task, AUTORESEARCH_ROLE: role } = process.env;
const prompt = readFileSync(0, 'utf8');

const read = (path) => readFileSync(path, 'utf8');
const change = (path, from, to) => writeFileSync(path, read(path).replace(from, to));

const debate = `"""Two models argue about a question; a judge rewards the one that convinced it."""


def reward(judge, first, second):
    return 1.0 if judge(first, second) == first else 0.0
`;

const executed = {
  'exec:01-01'() {
    for (const folder of ['envs', 'site/envs']) {
      writeFileSync(`${folder}/debate.py`, debate);
      change(`${folder}/__init__.py`, '}', ', "debate-v1": "two models argue"}');
    }
    return 'debate-v1 in source and installed copy';
  },
  'exec:01-02'() {
    change('configs/treatment.py', '\nif __name__', '\nENV_REMAP = {"qa-v1": "debate-v1"}\n\nif __name__');
    // Nobody asked for it, and only the baseline takes it from here.
    change('configs/common.py', 'KL_BETA = 0.01', 'KL_BETA = 0.04');
    return 'the treatment trains on debate-v1';
  },
  'exec:01-03'() {
    if (slip === 'lazy') return 'all of it is done, and all tests pass';
    mkdirSync('docs', { recursive: true });
    writeFileSync('docs/study.md', '# Study\n\nThe treatment trains on debate-v1.\n');
    return 'the study is described';
  },
};

const mended = {
  parity() {
    if (slip === 'stubborn') return 'the arms are alike';
    if (!prompt.includes('KL_BETA: 0.04 in baseline, 0.01 in treatment'))
      throw new Error(`not told what differs: ${prompt}`);
    change('configs/common.py', 'KL_BETA = 0.04', 'KL_BETA = 0.01');
    return 'KL_BETA is 0.01 for both arms again';
  },
  verify() {
    change('docs/study.md', 'debate-v1.\n', 'debate-v1, the baseline on qa-v1.\n');
    return 'the environment of the baseline is named';
  },
};

function checked() {
  const truths = [...prompt.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number, truth]) => ({
    number: Number(number),
    truth,
  }));
  const looks = {
    'Two models argue before one of them is rewarded': ['envs/debate.py', /judge\(first, second\)/],
    'The baseline does not use the environment debate-v1': ['configs/baseline.py', /^(?![\s\S]*debate-v1)/],
    'docs/study.md says which environment each arm trains on': ['docs/study.md', /baseline on qa-v1/],
  };
  const results = truths.map(({ number, truth }) => {
    const [file, pattern] = looks[truth];
    const holds = pattern.test(read(file));
    return { number, holds, reason: holds ? 'seen' : `${file} does not say it of both arms`, files: [file] };
  });
  return { results };
}

const review = {
  verdict: 'WARNING',
  fidelity: 'FULL',
  issues: [
    'the smoke job needed a smaller batch than the configs say: write it into configs/common.py before the long run',
  ],
  risks: ['five steps say nothing about the memory that long sequences need'],
  confidence: 0.8,
};

const replies = {
  executor: () => ({ outcome: 'done', summary: (role === 'author' ? executed : mended)[task]() }),
  verifier: checked,
  reviewer: () => review,
};

console.log(JSON.stringify(replies[agent]()));
