import { allowedEnvironment, passedVariables } from '../../adapters/process/allowed-environment.js';
import type { Config } from '../../model/generated/config.js';
import { type Secrets, secretsOf } from '../../model/secrets/secrets.js';

/** What the commands of a run get of the runner's environment, and what of it must appear nowhere. */
export interface RunEnvironment {
  /** For every command. */
  readonly allowed: { readonly [name: string]: string };
  /** For a command to which these variables are passed as well. */
  passed(passEnv: readonly string[] | undefined): { readonly [name: string]: string };
  readonly secrets: Secrets;
  /** Takes out of a folder's files what a command knew that got these variables, or an agent that got some. */
  scrub(dir: string, known: readonly string[] | 'any'): Promise<void>;
}

export function runEnvironment(runner: NodeJS.ProcessEnv, config: Pick<Config, 'secrets'>): RunEnvironment {
  // A copy, because each look into `process.env` itself is slow.
  const env = { ...runner };
  const secrets = secretsOf(env, config.secrets);
  const found = new Map<string, { readonly [name: string]: string }>();
  const passed = (passEnv: readonly string[] | undefined): { readonly [name: string]: string } => {
    if (passEnv === undefined) return nothing;
    const key = passEnv.join(' ');
    if (!found.has(key)) found.set(key, passedVariables(env, passEnv));
    return found.get(key)!;
  };
  return {
    allowed: allowedEnvironment(env, config.secrets),
    passed,
    secrets,
    async scrub(dir, known) {
      const seen = known === 'any' ? secrets : secrets.of(Object.keys(passed(known)));
      if (seen.names.length > 0) await (await import('../../adapters/kept/scrub-logs.js')).scrubFolder(dir, seen);
    },
  };
}

const nothing = {};
