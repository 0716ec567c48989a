import type { Diagnostic } from '../model/diagnostic.js';
import type { Config } from '../model/generated/config.js';
import type { Pointer } from '../model/pointer.js';
import { err, ok, type Result } from '../model/result.js';

/**
 * Checks a merged config. The validator that was made ahead answers whether it is valid; only when it is not are ajv
 * and the schema loaded to say why. `faulty` places have been complained about already.
 */
export async function validateConfig(
  value: unknown,
  faulty: ReadonlySet<Pointer> = new Set(),
): Promise<Result<Config, Diagnostic[]>> {
  const { isValid } = await import('./generated/validate-config.js');
  if (isValid(value)) return ok(value as Config);
  const { explainInvalid } = await import('./explain-invalid.js');
  return err(await explainInvalid(value, faulty));
}
