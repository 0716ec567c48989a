import type { KeptEntry, Vault } from '../../adapters/vault/vault.js';
import { contentDigest, lookAtProtected } from '../../adapters/vault/vault-content.js';
import { VaultGuard } from '../../adapters/vault/vault-guard.js';
import type { RecordedEvent } from '../../model/events/event.js';
import { FailureError } from '../../model/failure.js';
import type { Guard } from '../../model/files/guard.js';
import { ownVault } from '../clean/own-vault.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import type { OpenedRun } from './opened-run.js';
import { evidencePlace, vaultPlace } from './vault-place.js';

export interface OpenedGuard {
  readonly guard: Guard;
  /** For the journal. */
  readonly events: readonly RecordedEvent[];
}

/**
 * Takes copies of what is protected, before anything runs. A run that goes on, after whatever it was that stopped it, goes on
 * with what was protected then: in between nobody watched. That holds for what is no longer on the list, too, because
 * what the run has found so far rests on it.
 */
export async function openGuard(project: Project, context: CliContext, opened: OpenedRun): Promise<OpenedGuard> {
  const { root, config } = project.resolved;
  const patterns = config.protect ?? [];
  const dir = vaultPlace(root, context, { what: 'protect' });
  const vault = await ownVault(root, context, { what: 'protect' });
  const evidence = evidencePlace(root, context, opened.id);
  const { previous } = opened;
  const before = previous?.protection;
  // Restored elsewhere, or after a `clean`, there is no vault; contents can be compared all the same.
  const isWithoutVault = before !== undefined && (await lookAtProtected({ root, dir }, before)).how === 'content';
  if (before && isWithoutVault && previous.outcome !== 'running') await refuseUnlessSame({ root, dir }, before);
  else if (before) {
    const guard = new VaultGuard(vault, loaded(vault, before.digest), evidence);
    const files = guard.differences();
    if (files.length > 0) throw new FailureError({ code: 'protect-violated', files });
    if (JSON.stringify(before.patterns) === JSON.stringify(patterns)) return { guard, events: [] };
  }
  const kept = keep(vault, patterns);
  const files = [...kept.entries.values()].filter(isProtectedFile).length;
  return {
    guard: new VaultGuard(vault, kept, evidence),
    events: [
      { type: 'protection-recorded', digest: kept.digest, files, patterns, content: contentDigest(kept.entries) },
    ],
  };
}

/** Folders are protected as well, and nobody counts them. */
const isProtectedFile = ({ type, isGuarded }: KeptEntry): boolean =>
  isGuarded && type !== 'absent' && type !== 'folder';

async function refuseUnlessSame(
  places: Parameters<typeof lookAtProtected>[0],
  before: Parameters<typeof lookAtProtected>[1],
): Promise<void> {
  const now = await lookAtProtected(places, before);
  if (now.how !== 'content' || !now.isSame)
    throw new FailureError({ code: 'protect-violated', files: before.patterns });
}

function keep(vault: Vault, patterns: readonly string[]): ReturnType<Vault['keep']> {
  try {
    return vault.keep(patterns);
  } catch (error) {
    throw new FailureError({ code: 'cannot-protect', detail: (error as Error).message });
  }
}

function loaded(vault: Vault, digest: string): ReturnType<Vault['load']> {
  try {
    return vault.load(digest);
  } catch (error) {
    throw new FailureError({
      code: 'journal-corrupt',
      file: 'vault',
      line: 0,
      detail: `${(error as Error).message}, so nobody knows what protected files were like when the run was cut short`,
    });
  }
}
