import { existsSync, readdirSync, rmSync } from 'node:fs';
import type { CliContext } from '../context.js';
import { notesPlace, vaultPlace } from '../run/vault-place.js';

/** Somebody who is still watched is looked at by the next command. */
export function removeScopeVault(root: string, context: CliContext): void {
  const notes = notesPlace(root, context);
  if (existsSync(notes) && readdirSync(notes).length > 0) return;
  rmSync(vaultPlace(root, context, { what: 'scope' }), { recursive: true, force: true });
}
