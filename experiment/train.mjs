// Trains one network: one arm, one seed. Writes what it used and what came out (metrics.json), and how it went (log.jsonl).
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { command, writeJson, writeText } from './command-line.mjs';
import { schedules } from './model/schedule.mjs';
import { fixed, train } from './model/training.mjs';

command(['config', 'seed#', 'steps#?', 'data', 'out'], ({ config, seed, steps: fewer, data, out }) => {
  const { arm, settings } = JSON.parse(readFileSync(config, 'utf8'));
  const { learningRate, warmup, steps } = { ...settings, ...(fewer === undefined ? {} : { steps: fewer }) };
  if (!Object.hasOwn(schedules, arm)) throw new Error(`unknown arm "${arm}": ${Object.keys(schedules).join(', ')}`);
  if (!(steps >= 100 && warmup < steps)) throw new Error('steps must be 100 or more, and more than warmup');
  const texts = ['train', 'test'].map((part) => readFileSync(`${data}/${part}.json`, 'utf8'));
  const [trainPoints, testPoints] = texts.map((text) => JSON.parse(text));

  const log = [];
  const result = train({
    ...{ arm, seed, steps, learningRate, warmup },
    data: { train: trainPoints, test: testPoints },
    onProgress(entry) {
      log.push(JSON.stringify(entry));
      if (entry.step % 500 === 0) console.log(`step ${entry.step} of ${steps}, loss ${entry.loss.toFixed(4)}`);
    },
  });

  // What was really used goes along with the numbers, what no file names too, so that it can be seen that nothing but the
  // arm differs.
  const used = { ...fixed, steps, learningRate, warmup, data: digest(texts) };
  writeText(`${out}/log.jsonl`, `${log.join('\n')}\n`);
  writeJson(`${out}/metrics.json`, { arm, seed, settings: used, ...result });
  console.log(`test loss ${result.testLoss.toFixed(4)}, accuracy ${(100 * result.testAccuracy).toFixed(1)} %`);
});

function digest(texts) {
  return createHash('sha256').update(texts.join('\0')).digest('hex');
}
