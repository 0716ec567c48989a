import { realpathSync } from 'node:fs';
import { markPlace } from '../../adapters/kept/place-mark.js';
import { openVault, type Vault } from '../../adapters/vault/vault.js';
import type { CliContext } from '../context.js';
import { type VaultOf, vaultPlace } from '../run/vault-place.js';

/** A vault of this project. It says so itself: its name is a digest, and one day the project may be gone. */
export async function ownVault(root: string, context: CliContext, of: VaultOf): Promise<Vault> {
  const dir = vaultPlace(root, context, of);
  const { tree = root } = of;
  const vault = await openVault({ root: tree, dir });
  markPlace(dir, realpathSync(tree));
  return vault;
}
