import type { Diagnostic } from '../../model/diagnostic.js';
import type { Plan, Task } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import type { Files } from '../../model/ports.js';

/**
 * What can be known to be missing before hours are spent: inputs of tasks that nothing comes before, and schemas that no
 * task writes. Inputs of later tasks may still be made by an earlier one.
 */
export function missingFiles(plan: Plan, files: Files): readonly Diagnostic[] {
  const written = new Set<string>();
  for (const { outputs } of plan.tasks) for (let at = 0; at < outputs.length; at += 1) written.add(outputs[at]!);
  const found = new Map<string, Diagnostic>();
  const isThere = (path: string): boolean => written.has(path) || files.expand([path]).length > 0;
  const complain = (task: Task, path: string, place: readonly (string | number)[]): void => {
    found.set(`${task.stage} ${path}`, {
      code: 'AR507',
      message: `${path} is not there, and nothing makes it`,
      at: { kind: 'config', pointer: pointerOf('stages', task.stage, ...place) },
      hint: 'Make it, correct the path (paths are relative to the config), or let a stage have it as an output',
    });
  };
  for (const task of plan.tasks) {
    if (task.skip) continue;
    const { needs, inputs, description, schema } = task;
    if (needs.length === 0) {
      // By number, because a study may have a hundred thousand tasks that read nothing.
      for (let index = 0; index < inputs.length; index += 1)
        if (!isThere(inputs[index]!)) complain(task, inputs[index]!, ['inputs', index]);
      if (description.reads) for (const path of description.reads) if (!isThere(path)) complain(task, path, ['with']);
    }
    for (const output in schema) if (!isThere(schema[output]!)) complain(task, schema[output]!, ['schema']);
  }
  return [...found.values()];
}
