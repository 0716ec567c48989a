// The coder: works as told, forgets even lists the first time, and mends what the verification says.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const answer = (reply) => console.log(JSON.stringify({ usd: 0.1, helpers: 0, ...reply }));

if (prompt.includes('Write the report')) {
  const lines = readFileSync('reports/work-package/changes.txt', 'utf8').trim().split('\n');
  const notes = `## Completed\n\n- \`median\` and \`spread\` in src/stats.mjs, described in docs/stats.md\n\n## Files\n\n${lines.map((line) => `- ${line}`).join('\n')}\n\n## Notes\n\nNothing is open.`;
  answer({ outcome: 'done', summary: 'median and spread are there and tested', notes });
} else if (process.env.AUTORESEARCH_HELPERS !== '3' || !prompt.includes('AGENTS.md')) {
  answer({ outcome: 'failed', summary: 'helpers or AGENTS.md were not told of' });
} else if (!prompt.includes('failed:')) {
  appendFileSync('src/stats.mjs', median('sorted[Math.floor(sorted.length / 2)]'));
  appendFileSync('docs/stats.md', '- `median(numbers)`, `spread(numbers)`: an empty list is a RangeError\n');
  answer({ outcome: 'done', summary: 'added median and spread', files: ['src/stats.mjs', 'docs/stats.md'] });
} else {
  const text = readFileSync('src/stats.mjs', 'utf8');
  const even = '(sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2';
  writeFileSync('src/stats.mjs', text.replace('sorted[Math.floor(sorted.length / 2)]', even));
  answer({ outcome: 'done', summary: 'the median of even lists is right', files: ['src/stats.mjs'] });
}

function median(middle) {
  return `
/** The middle of a list of numbers; of an even list, the mean of the two in the middle. */
export function median(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  const sorted = [...numbers].sort((one, other) => one - other);
  return ${middle};
}

/** Largest minus smallest. */
export function spread(numbers) {
  if (numbers.length === 0) throw new RangeError('no numbers');
  return Math.max(...numbers) - Math.min(...numbers);
}
`;
}
