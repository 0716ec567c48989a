import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { matrixConfig, stagesConfig, wide } from '../lib/graphs.mjs';
import { measure, printed, ratio } from '../lib/measure.mjs';
import { project } from '../lib/ours.mjs';

const floor = resolve(import.meta.dirname, '../floors/list-config.mjs');

/** Listing what would run, against a program that reads the same file and prints the same list. */
export function dryRun({ rounds, quick }) {
  const sizes = quick ? [1000, 10_000] : [10_000, 100_000];
  return forms.map((form) => section(form, { sizes: form.large === false ? sizes.slice(0, 1) : sizes, rounds }));
}

// A hundred thousand stages of YAML keep the parser itself busy for half a minute, the floor's as well as ours.
const forms = [
  { name: 'one JSON stage each', file: 'autoresearch.config.json', config: (count) => stagesConfig(wide(count)) },
  {
    name: 'one YAML stage each',
    file: 'autoresearch.config.yaml',
    config: (count) => yaml(stagesConfig(wide(count))),
    large: false,
  },
  { name: 'one JSON matrix', file: 'autoresearch.config.json', config: matrixConfig },
];

function section(form, { sizes, rounds }) {
  const rows = sizes.flatMap((count) => {
    const made = project(`dry-run/${form.name.replaceAll(' ', '-')}-${count}`, { [form.file]: form.config(count) });
    const base = `bare Node, ${count}`;
    const check = () =>
      readFileSync(printed, 'utf8').split('\n').length > count ? undefined : 'the list is too short';
    return measure(
      [
        { name: base, base, run: [process.execPath, floor, join(made.cwd, form.file)], cwd: made.cwd, check },
        { name: `autoresearch, ${count}`, base, run: made.run('exec', '--dry-run'), cwd: made.cwd, check },
        ...(count === sizes[0] ? [{ name: 'node -e 0', run: [process.execPath, '-e', '0'], cwd: made.cwd }] : []),
      ],
      { rounds: count > 10_000 ? Math.min(rounds, 3) : rounds, title: `dry run, ${form.name}, ${count}` },
    );
  });
  const title = `Dry run: ${form.name}`;
  const targets = sizes.map((count) => ({
    target: `dry run of ${count}, ${form.name}`,
    unit: '× bare Node',
    // The limit is set for the smaller size; the larger one only has to grow in a line.
    limit: count === sizes[0] ? 3 : undefined,
    measured: ratio(rows, `autoresearch, ${count}`),
  }));
  return { title, rows, targets: sizes.length > 1 ? [...targets, growth(title, rows, sizes)] : targets };
}

/** How much longer ten times the tasks take, without Node's start. A tenth is allowed for chance. */
function growth(title, rows, [small, large]) {
  const seconds = (name) => rows.find((row) => row.name === name)?.seconds;
  const above = (name) => seconds(name) - seconds('node -e 0');
  const measured = above(`autoresearch, ${large}`) / above(`autoresearch, ${small}`);
  return {
    target: `${title}: growth from ${small} to ${large}`,
    unit: '× time',
    limit: (1.1 * large) / small,
    measured: Number.isFinite(measured) ? measured : undefined,
  };
}

/** Block style, as a person would write it. */
const yaml = ({ name, stages }) =>
  `name: ${name}\nstages:\n${Object.entries(stages)
    .map(([id, stage]) => `  ${id}:\n    uses: ${stage.uses}\n    with:\n      run: "${stage.with.run}"\n`)
    .join('')}`;
