import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import type { Behaviour } from '../../model/stage.js';
import { loadModule } from '../../source/typescript.js';
import { behaviourProblem } from '../../stage/behaviour-shape.js';
import { optionCheck } from './option-issues.js';

/** What is wrong with a behaviour; where, unless it is in its own file, is where the config names it. */
export type LoadProblem = Diagnostic;

/** A behaviour of the user's own, from a file of the project or of a package. */
export async function loadUserBehaviour(
  uses: string,
  file: string,
  door: Record<string, unknown>,
): Promise<LoadedBehaviour | LoadProblem[]> {
  const module = await loadModule(file, { door });
  if (!module.ok) {
    return module.error.map((problem) => ({
      ...problem,
      code: 'AR305',
      message: `${uses} could not be loaded: ${problem.message}`,
    }));
  }
  const candidate = module.value.exports.default;
  const wrong = behaviourProblem(candidate);
  if (wrong)
    return [
      {
        code: 'AR305',
        message: `${uses} is not a behaviour: ${wrong}`,
        hint: 'Export defineStage({ … }) as its default',
      },
    ];
  const behaviour = candidate as Behaviour;
  const check = await optionCheck(behaviour.options);
  if (!check.ok) return [{ code: 'AR305', message: `the options schema of ${uses} is not valid: ${check.error}` }];
  const { files } = module.value;
  return { behaviour, digest: digestOf(files), files, validate: check.value };
}

/** The code of a behaviour and of everything it imports from its own project. */
function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) hash.update(readFileSync(file)).update('\0');
  return hash.digest('hex').slice(0, 32);
}
