import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { RunState } from '../../model/state/run-state.js';
import { type CrateFile, ownFolder } from '../../report/crate/entity.js';

export interface CrateFiles {
  readonly files: readonly CrateFile[];
  readonly missing: readonly CrateFile[];
}

/** What the run read and made, as far as it is still what it was. Anything else is named, and not passed off as it. */
export function crateFiles(root: string, state: RunState, secrets: Secrets): CrateFiles {
  const wanted = new Map<string, string>();
  for (const { fingerprint, outputs = [] } of state.tasks.values()) {
    if (fingerprint?.v === 1) for (const [path, digest] of Object.entries(fingerprint.inputs)) wanted.set(path, digest);
    for (const { path, digest } of outputs) wanted.set(path, digest);
  }
  const files: CrateFile[] = [];
  const missing: CrateFile[] = [];
  for (const [path, digest] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const problem = nameProblem(path) ?? problemOf(join(root, path), digest, secrets);
    if (problem === undefined) files.push({ path, digest, size: statSync(join(root, path)).size });
    else missing.push({ path, digest, what: problem });
  }
  return { files, missing };
}

/** Nothing is written outside of the crate, nor over what is ours in it. */
function nameProblem(path: string): string | undefined {
  const plain = normalize(path);
  if (isAbsolute(plain) || plain.startsWith('..')) return 'it lies outside of the project';
  return plain === 'ro-crate-metadata.json' || plain.startsWith(`${ownFolder}/`)
    ? 'the crate has a file of that name'
    : undefined;
}

function problemOf(file: string, digest: string, secrets: Secrets): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return `it cannot be read any more (${(error as NodeJS.ErrnoException).code ?? 'no file'})`;
  }
  if (createHash('sha256').update(bytes).digest('hex') !== digest) return 'it was changed after the run';
  const text = bytes.toString('latin1');
  return secrets.names.length > 0 && secrets.hideValues(text) !== text
    ? 'the value of a secret stands in it'
    : undefined;
}
