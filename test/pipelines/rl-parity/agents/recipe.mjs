// The agents of the recipe: `node recipe.mjs AGENT`.
import { readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const change = (path, from, to) => writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));

const replies = {
  executor() {
    for (const folder of ['envs', 'site/envs'])
      change(`${folder}/__init__.py`, '}', ', "debate-v1": "two models argue"}');
    change('configs/treatment.py', '\n\nif', '\n\nENV_REMAP = {"qa-v1": "debate-v1"}\n\nif');
    return { outcome: 'done', summary: 'the treatment trains on debate-v1' };
  },
  verifier() {
    const holds =
      prompt.includes('1. The baseline does not train on debates') &&
      !readFileSync('configs/baseline.py', 'utf8').includes('debate');
    return { results: [{ number: 1, holds, reason: 'it has no remap', files: ['configs/baseline.py'] }] };
  },
};

console.log(JSON.stringify(replies[process.argv[2]]()));
