// The floor for dry runs: reads the config and prints one line for each task. Usage: node list-config.mjs FILE
import { readFileSync } from 'node:fs';

const file = process.argv[2];
const text = readFileSync(file, 'utf8');
const config = file.endsWith('.json') ? JSON.parse(text) : (await import('yaml')).parse(text);
const lines = [];
for (const [name, stage] of Object.entries(config.stages)) {
  for (const id of taskIds(name, stage.matrix)) lines.push(`${id}  ${stage.with.run}`);
}
process.stdout.write(`${lines.join('\n')}\n`);

function taskIds(name, matrix = {}) {
  let combinations = [''];
  for (const [key, values] of Object.entries(matrix)) {
    combinations = combinations.flatMap((before) =>
      values.map((value) => `${before}${before ? ',' : ''}${key}=${value}`),
    );
  }
  return combinations.map((combination) => (combination ? `${name}:${combination}` : name));
}
