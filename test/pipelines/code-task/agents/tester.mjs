// The tester: writes tests for what the task says, before anybody has done it.
import { readFileSync, writeFileSync } from 'node:fs';

readFileSync(0);
const tests = `import { strict as assert } from 'node:assert';
import { median } from '../src/stats.mjs';
assert.equal(median([4, 1, 3, 2]), 2.5);
`;
writeFileSync('test/median.mjs', tests);
console.log(JSON.stringify({ outcome: 'done', summary: 'tests of the median', usd: 0.1 }));
