import { isDeepStrictEqual } from 'node:util';
import { mean } from './statistics.mjs';
import { judge } from './verdict.mjs';

/** Everything the report says, as numbers and, under `shown`, as text. `read(arm, seed)` gives `{ file, metrics }`. */
export function compare({ control, treatment, seeds, confidence, read }) {
  if (control === treatment) throw new Error(`both arms are "${control}"`);
  if (seeds.length === 0) throw new Error('name the seeds to compare');
  if (new Set(seeds).size < seeds.length) throw new Error(`a seed is named twice: ${seeds.join(' ')}`);
  const runs = [];
  const perSeed = seeds.map((seed) => {
    const [a, b] = [control, treatment].map((arm) => {
      const run = checked(read(arm, seed), { arm, seed });
      runs.push(run);
      return run.metrics;
    });
    return {
      seed,
      control: a.testLoss,
      treatment: b.testLoss,
      difference: b.testLoss - a.testLoss,
      controlAccuracy: a.testAccuracy,
      treatmentAccuracy: b.testAccuracy,
    };
  });
  checkParity(runs);
  const judgement = judge(
    perSeed.map(({ difference }) => difference),
    confidence,
  );
  const sentence = inWords({ ...judgement, control, treatment });
  const result = {
    control,
    treatment,
    metric: 'testLoss',
    settings: runs[0].metrics.settings,
    perSeed,
    ...judgement,
    sentence,
  };
  return { ...result, shown: shown(result) };
}

function checked({ file, metrics }, { arm, seed }) {
  if (metrics.arm !== arm || metrics.seed !== seed) {
    throw new Error(`${file} is of arm ${metrics.arm} and seed ${metrics.seed}, not ${arm} and ${seed}`);
  }
  for (const name of ['testLoss', 'testAccuracy']) {
    if (!Number.isFinite(metrics[name])) throw new Error(`${file}: ${name} is ${metrics[name]}, not a number`);
  }
  return { file, metrics };
}

/** The arms may differ in their schedule and in nothing else. */
function checkParity([first, ...others]) {
  for (const { file, metrics } of others) {
    for (const name of new Set([...Object.keys(first.metrics.settings), ...Object.keys(metrics.settings)])) {
      const [expected, actual] = [first.metrics.settings[name], metrics.settings[name]];
      if (!isDeepStrictEqual(expected, actual)) {
        throw new Error(`the runs are not alike: ${name} is ${actual} in ${file} and ${expected} in ${first.file}`);
      }
    }
  }
}

function inWords({ verdict, control, treatment, mean: centre, interval, confidence, better, pairs }) {
  const claim = `${treatment} has a lower test loss than ${control}`;
  const numbers = `mean difference ${signed(centre)}, ${100 * confidence} % interval ${signed(interval[0])} to ${signed(interval[1])}`;
  return `"${claim}": ${verdict} (${numbers}; lower in ${better} of ${pairs} seeds)`;
}

/** Handlebars does not round numbers, so the report is given them as text. */
const shown = ({ perSeed, mean: centre, standardDeviation, interval, confidence }) => ({
  rows: perSeed.map((pair) => ({
    seed: pair.seed,
    control: pair.control.toFixed(4),
    treatment: pair.treatment.toFixed(4),
    difference: signed(pair.difference),
    controlAccuracy: percent(pair.controlAccuracy),
    treatmentAccuracy: percent(pair.treatmentAccuracy),
  })),
  control: mean(perSeed.map(({ control }) => control)).toFixed(4),
  treatment: mean(perSeed.map(({ treatment }) => treatment)).toFixed(4),
  mean: signed(centre),
  standardDeviation: standardDeviation.toFixed(4),
  interval: interval.map(signed),
  confidence: `${100 * confidence} %`,
});

/** `−0.0121`, with the minus sign of typography. */
const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;

const percent = (share) => `${(100 * share).toFixed(1)} %`;
