// An agent is any program that reads a work package and answers with JSON. This one is no model: it puts into words what the
// comparison says. The same stage with `backend: 'claude'` would ask one, and nothing else would change.
import { readFileSync } from 'node:fs';

readFileSync(0); // The work package. A model needs it; these few lines know what they are for.
const { metric, baseline, variants } = JSON.parse(readFileSync('experiment/results/comparison.json', 'utf8'));
const notes = variants.map(({ variant, verdict, interval: [low, high], improvement, seeds, pairs }) => {
  const better = pairs.filter((pair) => pair.improvement > 0).length;
  return `## ${variant} against ${baseline}

Verdict: ${verdict}
Interval: ${low} to ${high}
Seeds: ${seeds}

The mean ${metric} improves by ${improvement}; ${better} of ${pairs.length} pairs improve (experiment/results/comparison.json).`;
});
console.log(
  JSON.stringify({ outcome: 'done', summary: 'put the comparison into words', notes: notes.join('\n\n'), usd: 0 }),
);
