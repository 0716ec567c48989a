// The mean error on ten points. The machine is not quite even: the first runs differ a little.
import { readdirSync } from 'node:fs';
import { predict } from './model.mjs';

const noise = [0, 0.02, 0.01][readdirSync('.autoresearch/default/runs').length - 1] ?? 0;
const points = Array.from({ length: 10 }, (_, x) => x);
const loss = points.reduce((sum, x) => sum + Math.abs(predict(x) - (2 * x + 1)), 0) / points.length;
console.log(`METRIC loss=${(loss + noise).toFixed(6)}`);
