// Measures the promises about speed. Prints tables in Markdown and writes bench/results.json; see bench/README.md.
import { existsSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMissed, sectionText, targetsText } from './lib/markdown.mjs';
import { bin } from './lib/ours.mjs';
import { installNpmPeers } from './lib/peers.mjs';
import { clearAside, newFileMicros } from './lib/work.mjs';
import { agents } from './sections/agents.mjs';
import { dryRun } from './sections/dry-run.mjs';
import { jobs } from './sections/jobs.mjs';
import { liveView } from './sections/live-view.mjs';
import { memory } from './sections/memory.mjs';
import { noOp } from './sections/no-op.mjs';
import { startUp } from './sections/start-up.mjs';
import { others, throughput } from './sections/throughput.mjs';

const sections = {
  'start-up': startUp,
  throughput,
  'no-op': noOp,
  'dry-run': dryRun,
  agents,
  jobs,
  memory,
  'live-view': liveView,
  others,
};

/** On a disk that nobody has removed much from in the last minutes it is a third of that. */
const restedMicros = 60;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string' },
  },
});
const rounds = Number(options.rounds ?? (options.quick ? 3 : 7));
const chosen = options.only.length > 0 ? options.only : Object.keys(sections);
for (const name of chosen)
  if (!Object.hasOwn(sections, name)) refuse(`unknown section "${name}": ${Object.keys(sections).join(', ')}`);
if (!Number.isInteger(rounds) || rounds < 1) refuse('--rounds must be a whole number above 0');
if (!existsSync(bin)) refuse('dist/bin.cjs is missing: run `npm run build` first');
if (options.peers) installNpmPeers();

const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${rounds} rounds${options.quick ? ', quick sizes' : ''}`;
const fileMicros = newFileMicros();
console.log(`## Benchmark\n\n${machine}, ${fileMicros} µs for a new file\n`);
if (fileMicros > restedMicros)
  console.log(
    `New files take long on this disk at the moment, as for some minutes after many were removed. Rows of many short commands will show it.\n`,
  );

const results = [];
for (const name of chosen) {
  for (const result of [await sections[name]({ rounds, quick: options.quick })].flat()) {
    results.push(result);
    console.log(sectionText(result));
  }
}
clearAside();
const targets = results.flatMap((result) => result.targets);
console.log(targetsText(targets));
if (options.quick)
  console.log('Quick sizes: the limits are meant for the full ones, where start-up counts for less.\n');
const missed = targets.filter(isMissed).length;
console.log(missed === 0 ? 'Every target is met.' : `${missed} of ${targets.length} targets are missed.`);
writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify({ machine, results }, null, 2)}\n`);

function refuse(message) {
  console.error(message);
  process.exit(2);
}
