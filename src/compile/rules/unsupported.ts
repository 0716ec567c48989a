import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import { agentsOf } from '../task/agents-used.js';

/**
 * What a config can say and this version cannot enforce. `exec` refuses to run it: a guard that nobody keeps is worse than
 * none.
 */
export function unsupported(config: Config): Diagnostic[] {
  return stageList(config)
    .filter(([, stage]) => stage.scope && agentsOf(stage).length === 0)
    .map(([name]) =>
      refusal(['stages', name, 'scope'], {
        what: 'a scope without an agent',
        hint: 'Name what the stage writes under outputs instead: a scope is what its agents may write, and it asks none',
      }),
    );
}

const refusal = (
  path: readonly string[],
  { what, hint }: { readonly what: string; readonly hint: string },
): Diagnostic => ({
  code: 'AR701',
  message: `this version cannot enforce ${what}`,
  at: { kind: 'config', pointer: pointerOf(...path), key: true },
  hint,
});
