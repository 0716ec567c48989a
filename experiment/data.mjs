// Makes the data: two noisy spirals, drawn from one seed. Points for the test come from a seed of their own.
import { command, writeText } from './command-line.mjs';
import { makeSpirals } from './model/spirals.mjs';

command(['seed#', 'out'], ({ seed, out }) => {
  const noise = 0.06;
  save(`${out}/train.json`, makeSpirals({ count: 400, noise, seed }));
  save(`${out}/test.json`, makeSpirals({ count: 2000, noise, seed: seed + 1 }));
});

function save(path, points) {
  writeText(path, `[\n${points.map((point) => JSON.stringify(point)).join(',\n')}\n]\n`);
  console.log(`${points.length} points in ${path}`);
}
