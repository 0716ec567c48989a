// Compares the arms seed by seed and writes a verdict. Reads exactly the runs it is told of: one that is missing, broken or
// trained in another way fails the comparison, and what an older study left behind is not counted.
import { readFileSync } from 'node:fs';
import { command, readNumber, writeJson } from './command-line.mjs';
import { compare } from './analysis/comparison.mjs';

command(['control', 'treatment', 'runs', 'out', '...'], ({ control, treatment, runs, out, words }) => {
  const seeds = words.map((word) => readNumber(word, 'a seed'));
  const comparison = compare({
    control,
    treatment,
    seeds,
    confidence: 0.95,
    read: (arm, seed) => readRun(runs, arm, seed),
  });
  writeJson(out, comparison);
  console.log(comparison.sentence);
});

function readRun(runs, arm, seed) {
  const file = `${runs}/${arm}-${seed}/metrics.json`;
  try {
    return { file, metrics: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    throw new Error(error.code === 'ENOENT' ? `${file} is missing` : `${file}: ${error.message}`);
  }
}
