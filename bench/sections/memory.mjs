import { join, resolve } from 'node:path';
import { stagesConfig, wide } from '../lib/graphs.mjs';
import { median } from '../lib/measure.mjs';
import { didAll, exec, project } from '../lib/ours.mjs';
import { peakMemory } from '../lib/peak-memory.mjs';
import { writeFiles } from '../lib/work.mjs';

const floor = resolve(import.meta.dirname, '../floors/run-graph.mjs');

export async function memory({ rounds, quick }) {
  const count = quick ? 200 : 1000;
  const made = project('memory/ours', { 'autoresearch.config.json': stagesConfig(wide(count)) });
  const floorFolder = writeFiles('memory/floor', { 'graph.json': wide(count) });
  const contenders = [
    { name: 'bare Node loop', run: [process.execPath, floor, join(floorFolder, 'graph.json')], cwd: floorFolder },
    { name: 'autoresearch', ...made, run: made.run(...exec, '--jobs', '2'), check: didAll(made.cwd, count) },
  ];
  const rows = [];
  for (const contender of contenders) rows.push(await row(contender, Math.min(rounds, 3)));
  const measured = rows[1].ownMb;
  return {
    title: `Peak memory: ${count} tasks`,
    memory: rows,
    targets: [{ target: `peak memory at ${count} tasks`, unit: 'MB', limit: 110, measured }],
  };
}

async function row({ name, run, cwd, reset, check }, rounds) {
  const peaks = [];
  try {
    for (let round = 0; round < rounds; round++) {
      reset?.();
      peaks.push(await peakMemory(run, { cwd }));
      const failure = check?.();
      if (failure) throw new Error(failure);
    }
  } catch (error) {
    return { name, state: 'failed', detail: error.message };
  }
  const of = (field) => median(peaks.map((peak) => peak[field]));
  return { name, state: 'ok', ownMb: of('ownMb'), treeMb: of('treeMb') };
}
