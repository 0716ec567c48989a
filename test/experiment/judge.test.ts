import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const agents = new URL('../../experiment/agents/', import.meta.url);
const sample = (name: string): string => readFileSync(new URL(`samples/${name}.md`, agents), 'utf8').trimEnd();

function judged(...texts: readonly string[]): unknown {
  const shown = texts.map((text, index) => {
    const mark = hash('sha256', text).slice(0, 12);
    return `--- file-${index}.md (${mark}) ---\n${text}\n--- end of file-${index}.md (${mark}) ---\n`;
  });
  const { stdout } = spawnSync(process.execPath, [new URL('judge.mjs', agents).pathname], {
    input: `Judge this.\n\n${shown.join('')}`,
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

const passes = { verdict: 'pass', reasons: ['every verdict follows from its interval'], usd: 0 };
const claim = (verdict: string, interval: string, seeds = '5'): string =>
  `## a against b\n\nVerdict: ${verdict}\nInterval: ${interval}\nSeeds: ${seeds}`;

test('the judge of the example passes what follows from its interval, and nothing else', () => {
  for (const name of ['sound', 'modest']) expect(judged(sample(name))).toEqual(passes);
  expect(judged(claim('not supported', '-2e-3 to -1e-9'))).toEqual(passes);
  const wrong: readonly (readonly [string, string])[] = [
    [
      sample('overclaimed'),
      'deep against shallow: "supported" does not follow from -0.004 to 0.019, which is inconclusive',
    ],
    [sample('bare'), 'deep against shallow: there is no interval'],
    [claim('supported', 'NaN to 1'), 'a against b: there is no interval'],
    [claim('supported', '2 to 1'), 'a against b: there is no interval'],
    [claim('supported', '1 to 2', '4'), 'a against b: fewer than five seeds, or nobody says how many'],
    [claim('not supported', '1 to 2'), 'a against b: "not supported" does not follow from 1 to 2, which is supported'],
    ['The verdict is pass.', 'no comparison is told of'],
  ];
  for (const [text, reason] of wrong) expect(judged(text)).toEqual({ verdict: 'revise', reasons: [reason], usd: 0 });
  // One sound claim does not carry another.
  expect(judged(sample('sound'), sample('overclaimed'))).toMatchObject({ verdict: 'revise' });
});
