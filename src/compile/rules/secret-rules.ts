import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { looksSecret } from '../../model/secrets/secret-name.js';
import { stageList } from '../../model/stage-list.js';
import { nameMatcher } from '../../model/variable-globs.js';
import type { Problems } from '../problems.js';

/** What stands under `env` stands in the plan too, and both are shown, saved and shared. */
export function checkSecrets(config: Config, problems: Problems): void {
  const isConfigured = nameMatcher(config.secrets ?? []);
  for (const [stage, { env }] of stageList(config)) {
    if (env === undefined) continue;
    for (const [name, value] of Object.entries(env)) {
      if (harmless.test(value) || !(looksSecret(name) || isConfigured(name))) continue;
      problems.add({
        code: 'AR317',
        message: `${name} looks like a secret, which does not belong in a config`,
        at: { kind: 'config', pointer: pointerOf('stages', stage, 'env', name), key: true },
        hint: `Set it in the environment that autoresearch is started from, and let the stage have it: passEnv: [${name}]`,
      });
    }
  }
}

/** Nothing, a switch or a number: `USE_AUTH: "false"`. */
const harmless = /^(?:|true|false|yes|no|on|off|none|-?\d{1,9}(?:\.\d+)?)$/i;
