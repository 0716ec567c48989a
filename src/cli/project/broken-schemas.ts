import { resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Plan } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';

/** Schemas that no output could satisfy, found before hours are spent on the output. What a task writes is looked at when it is there. */
export async function brokenSchemas(plan: Plan, files: Files, root: string): Promise<readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic>();
  if (!plan.tasks.some(({ schema }) => hasEntries(schema))) return [];
  const { schemaFault } = await import('../../adapters/behaviours/output-schema.js');
  const written = new Set(plan.tasks.flatMap(({ outputs }) => outputs));
  for (const { stage, skip, schema } of plan.tasks)
    for (const path of skip ? [] : new Set(Object.values(schema))) {
      if (written.has(path) || found.has(`${stage} ${path}`) || !files.stamp(path)) continue;
      const fault = await schemaFault(resolve(root, path));
      if (fault === undefined) continue;
      found.set(`${stage} ${path}`, {
        code: 'AR517',
        message: fault.replaceAll(`${root}/`, ''),
        at: { kind: 'config', pointer: pointerOf('stages', stage, 'schema') },
        hint: 'Correct the schema: as it is, no output would satisfy it',
      });
    }
  return [...found.values()];
}

function hasEntries(names: object): boolean {
  for (const _name in names) return true;
  return false;
}
