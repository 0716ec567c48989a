import { builtInNames, loadBuiltIn } from '../adapters/built-in-stages.js';
import type { Behaviour } from '../model/stage.js';
import type { CliContext } from './context.js';
import { listOrShow } from './list-or-show.js';

export async function run(context: CliContext): Promise<number> {
  const behaviours = new Map<string, Behaviour>();
  for (const name of builtInNames) behaviours.set(name, (await loadBuiltIn(name))!.behaviour);
  return listOrShow(context, {
    noun: 'behaviour',
    names: builtInNames,
    summary: (name) => behaviours.get(name)!.summary,
    show: (name) =>
      `${name}: ${behaviours.get(name)!.summary}\n\nOptions (under "with"):\n${JSON.stringify(behaviours.get(name)!.options, null, 2)}\n`,
  });
}
