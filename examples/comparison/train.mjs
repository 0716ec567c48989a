// Fits a line to noisy points by gradient descent. Writes what it really used, how it went, and what came out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const [arm, seedText, out] = process.argv.slice(2);
const seed = Number(seedText);
const { optimizer, steps, batch, data } = JSON.parse(readFileSync(`configs/${arm}.json`, 'utf8'));

let state = seed;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const points = Array.from({ length: 200 }, () => {
  const x = 2 * random() - 1;
  return [x, 3 * x + 1 + data.noise * (random() + random() + random() - 1.5)];
});

let [slope, offset, speedA, speedB] = [random(), random(), 0, 0];
const log = [];
for (let step = 1; step <= steps; step += 1) {
  let [gradientA, gradientB, loss] = [0, 0, 0];
  for (let at = 0; at < batch; at += 1) {
    const [x, y] = points[Math.floor(random() * points.length)];
    const error = slope * x + offset - y;
    gradientA += (2 * error * x) / batch;
    gradientB += (2 * error) / batch;
    loss += error ** 2 / batch;
  }
  speedA = optimizer.momentum * speedA - optimizer.learningRate * gradientA;
  speedB = optimizer.momentum * speedB - optimizer.learningRate * gradientB;
  slope += speedA;
  offset += speedB;
  log.push(JSON.stringify({ step, loss, time: 0.001 }));
}
const loss = points.reduce((sum, [x, y]) => sum + (slope * x + offset - y) ** 2, 0) / points.length;

mkdirSync(out, { recursive: true });
writeFileSync(`${out}/used.json`, JSON.stringify({ optimizer, steps, batch, data }));
writeFileSync(`${out}/log.jsonl`, `${log.join('\n')}\n`);
writeFileSync(`${out}/metrics.json`, JSON.stringify({ arm, seed, loss }));
