import { mean, median, spread } from '../src/stats.mjs';

// One plain line, because what an assertion prints differs from one Node to the next, and recordings are of what was printed.
const check = (what, holds) => {
  if (holds) return;
  console.error(`check failed: ${what}`);
  process.exit(1);
};
const throws = (work) => {
  try {
    work();
    return false;
  } catch (error) {
    return error instanceof RangeError;
  }
};

check('the mean', mean([1, 2, 6]) === 3);
check('the median of an odd list', median([3, 1, 2]) === 2);
check('the median of an even list', median([4, 1, 3, 2]) === 2.5);
check('the spread', spread([4, 1, 3]) === 3);
const list = [3, 1, 2];
median(list);
check('the list stays as it is', list.join() === '3,1,2');
for (const each of [mean, median, spread])
  check(
    `${each.name} of nothing is a RangeError`,
    throws(() => each([])),
  );
console.log('all tests pass');
