// A judge that is no model either: it reads the analysis as it is shown to it and asks whether its verdict follows from its own
// interval. What it cannot see does not count as met.
import { readFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const shown = [...prompt.matchAll(/^--- (\S+) \((\w+)\) ---\n([\s\S]*?)\n--- end of \1 \(\2\) ---$/gm)].map(
  ([, , , text]) => text,
);
const claims = shown.flatMap((text) => text.split(/^## /m).slice(1));
const reasons = claims.flatMap(problems);
if (claims.length === 0) reasons.push('no comparison is told of');
const verdict = reasons.length === 0 ? 'pass' : 'revise';
if (verdict === 'pass') reasons.push('every verdict follows from its interval');
console.log(JSON.stringify({ verdict, reasons, usd: 0 }));

function problems(claim) {
  const name = claim.split('\n')[0];
  const verdict = claim.match(/^Verdict: (.+)$/m)?.[1];
  const [, low, high] = claim.match(/^Interval: (\S+) to (\S+)$/m)?.map(Number) ?? [];
  const seeds = Number(claim.match(/^Seeds: (\d+)$/m)?.[1]);
  if (!(low <= high)) return [`${name}: there is no interval`];
  if (!(seeds >= 5)) return [`${name}: fewer than five seeds, or nobody says how many`];
  const follows = low > 0 ? 'supported' : high < 0 ? 'not supported' : 'inconclusive';
  return verdict === follows
    ? []
    : [`${name}: "${verdict}" does not follow from ${low} to ${high}, which is ${follows}`];
}
