import type { Diagnostic } from '../../model/diagnostic.js';
import type { JsonObject } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import { makesTable } from './compared-arms.js';

/** Of a comparison that does not say it. */
const usualSeeds = 5;

/** Comparisons that can decide nothing, whatever comes out: the table will hold fewer seeds than they ask for. */
export function fewSeeds(tasks: readonly Task[]): Diagnostic[] {
  const told = new Set<string>();
  return tasks.flatMap((task) => {
    if (task.uses !== 'compare' || task.skip || told.has(task.stage)) return [];
    const { results, seed = 'seed', minSeeds = usualSeeds } = task.options;
    const maker = tasks.find((other) => makesTable(other, results));
    const seeds = (maker?.options.each as JsonObject | undefined)?.[String(seed)];
    if (!Array.isArray(seeds) || seeds.length >= Number(minSeeds)) return [];
    told.add(task.stage);
    return [
      {
        code: 'AR516',
        message: `stage "${task.stage}" asks for at least ${minSeeds} seeds, and there will be ${seeds.length}: it will decide nothing`,
        at: { kind: 'config', pointer: pointerOf('stages', task.stage, 'with') },
        hint: 'Run more seeds, or say with minSeeds that fewer are enough',
      } satisfies Diagnostic,
    ];
  });
}
