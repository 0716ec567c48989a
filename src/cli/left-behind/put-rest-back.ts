import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDraft } from '../../adapters/vault/vault-put-back.js';
import type { OwedViolation } from '../../journal/owed-violations.js';
import type { Failure } from '../../model/failure.js';
import { ownVault } from '../clean/own-vault.js';
import type { CliContext } from '../context.js';
import { evidencePlace } from '../run/vault-place.js';
import { isReal } from '../run/watch-ports.js';

/** Puts back what its runner had no time for; answers with the failure, and what could not be put back. */
export async function putRestBack(
  { failure, kept, place }: OwedViolation,
  { root, context, run }: { readonly root: string; readonly context: CliContext; readonly run: string },
): Promise<Failure> {
  // Of what was written outside of a scope the note knows more; the evidence of the run has all that was put back.
  if (failure.code === 'scope-violated' && failure.evidence === undefined) {
    const evidence = evidencePlace(root, context, run);
    return existsSync(evidence) ? { ...failure, evidence } : failure;
  }
  if (failure.code !== 'protect-violated' || failure.evidence === undefined) return failure;
  if (kept === undefined || place === undefined || !isReal(place)) return failure;
  const problems = [...(failure.problems ?? [])];
  try {
    const vault = await ownVault(root, context, { what: 'protect', tree: place });
    const copies = vault.load(kept);
    // What was being put back when its runner was killed lies beside it.
    const isMeant = (path: string): boolean => failure.files.includes(path) || isDraft(path);
    const changes = vault.changes(copies).filter(({ path }) => isMeant(path));
    if (changes.length > 0)
      problems.push(...vault.putBack(copies, changes, { evidence: join(failure.evidence, 'files') }).problems);
  } catch (error) {
    problems.push((error as Error).message);
  }
  return problems.length === 0 ? failure : { ...failure, problems };
}
