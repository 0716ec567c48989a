// A coder that does what its first argument says, and claims success.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const answer = (reply) => console.log(JSON.stringify({ usd: 0.1, helpers: 0, ...reply }));
const right = `
export function median(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  const sorted = [...numbers].sort((one, other) => one - other);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
export function spread(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  return Math.max(...numbers) - Math.min(...numbers);
}
`;
const done = () => answer({ outcome: 'done', summary: 'all tests pass, everything is complete' });

switch (process.argv[2]) {
  case 'claims':
    appendFileSync('src/stats.mjs', '// done\n');
    done();
    break;
  case 'weakens-tests':
    writeFileSync(process.argv[3], 'console.log("all tests pass")\n');
    done();
    break;
  case 'half-report':
    if (prompt.includes('Write the report'))
      answer({ outcome: 'done', summary: 'done', notes: '## Completed\n\nAll of it.' });
    else {
      appendFileSync('src/stats.mjs', right);
      done();
    }
    break;
  case 'rescope':
    answer({
      outcome: 'escalate',
      reason: 'scope',
      summary: 'the constants are elsewhere',
      files: ['src/constants.mjs'],
    });
    break;
  case 'works':
    if (prompt.includes('Write the report'))
      answer({ outcome: 'done', summary: 'done', notes: readFileSync('reports/work-package/changes.txt', 'utf8') });
    else {
      appendFileSync('src/stats.mjs', right);
      done();
    }
}
