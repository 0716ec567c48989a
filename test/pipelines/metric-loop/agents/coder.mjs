// The coder: a good idea, a bad one, one that does not run, and one whose win is lost in the noise.
import { readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const number = Number(/This is experiment (\d+)\./.exec(prompt)?.[1]);
const model = readFileSync('model.mjs', 'utf8');
const answer = (reply) => console.log(JSON.stringify({ usd: 0.1, ...reply }));
const edit = (text, summary) => {
  writeFileSync('model.mjs', text);
  answer({ outcome: 'done', summary, files: ['model.mjs'] });
};

// Dead ends are told, so that nobody walks into them again.
if (number === 3 && !/Iteration 2 \(discarded, dead end\)/.test(prompt))
  answer({ outcome: 'failed', summary: 'nobody told of the dead end' });
else if (number === 1) edit(model.replace('slope = 1', 'slope = 2'), 'the slope is 2, as the goal says');
else if (number === 2) edit(model.replace('offset = 0', 'offset = -3'), 'a negative offset');
else if (number === 3) edit(`${model}\nthrow new Error('not ready');\n`, 'a way that is not ready');
else edit(model.replace('offset = 0', 'offset = 0.01'), 'a little offset');
