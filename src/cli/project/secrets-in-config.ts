import type { Diagnostic, LocatedDiagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import { secretsOf } from '../../model/secrets/secrets.js';

/**
 * A config that is a program can read the environment, and people paste. What stands in a config gets into the plan, so a
 * secret's value in it is refused before anything is written.
 */
export function secretsInConfig(config: Config, env: NodeJS.ProcessEnv): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const values = new Map<string, string>();
  const copy = { ...env };
  for (const name of secretsOf(copy, config.secrets).names) {
    const value = copy[name]!;
    if (value.length >= shortestTold && !path.test(value)) values.set(value, name);
  }
  if (values.size > 0) look(config, []);
  return found;

  function look(value: unknown, at: readonly (string | number)[]): void {
    if (typeof value === 'string') {
      for (const [secret, name] of values) if (value.includes(secret)) found.push(standsHere(name, at));
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(item, [...at, index]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) look(item, [...at, key]);
    }
  }
}

/** Where a secret stands is told by the line's number; the line itself is not shown, whatever else is wrong with it. */
export function withoutSecretLines(diagnostics: readonly LocatedDiagnostic[]): readonly LocatedDiagnostic[] {
  const lineOf = ({ place }: LocatedDiagnostic): string => `${place?.file}:${place?.line}`;
  const lines = new Set(diagnostics.filter(({ code }) => code === 'AR317').map(lineOf));
  return diagnostics.map((diagnostic) => {
    if (!diagnostic.place || !lines.has(lineOf(diagnostic))) return diagnostic;
    const { text: _secret, ...place } = diagnostic.place;
    return { ...diagnostic, place };
  });
}

/** Shorter ones may be met by accident, and this stops everything. */
const shortestTold = 12;

/** `GOOGLE_APPLICATION_CREDENTIALS` is where a key is, and a stage may have that file as an input. */
const path = /^(?:~|\.{0,2})\/[\w.@+-]+(?:\/[\w.@+-]+)*$/;

const standsHere = (name: string, at: readonly (string | number)[]): Diagnostic => ({
  code: 'AR317',
  message: `the value of ${name} stands here; a secret does not belong in a config`,
  at: { kind: 'config', pointer: pointerOf(...at) },
  hint: `Let the stage have it at run time: passEnv: [${name}], then $${name} in the command`,
});
