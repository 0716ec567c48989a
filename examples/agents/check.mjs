import { median } from './src/median.mjs';

const list = [3, 1, 2];
const checks = {
  'median of an odd list': () => median(list) === 2,
  'median of an even list': () => median([10, 9, 1, 2]) === 5.5,
  'an empty list is a RangeError': () => throwsRangeError(() => median([])),
  'NaN is a RangeError': () => throwsRangeError(() => median([1, Number.NaN])),
  'the list stays as it is': () => list.join() === '3,1,2',
};

function throwsRangeError(work) {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
}

const failed = Object.entries(checks).filter(([, check]) => !check());
for (const [name] of failed) console.error(`check failed: ${name}`);
process.exit(failed.length === 0 ? 0 : 1);
