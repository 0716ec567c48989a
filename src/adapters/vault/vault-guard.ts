import { join } from 'node:path';
import type { Breach, Guard, GuardLook } from '../../model/files/guard.js';
import { newFolder } from '../disk/new-folder.js';
import { writePlain } from '../disk/plain-file.js';
import type { Kept, Vault } from './vault.js';

/** Protected files, held in a vault outside of the project. */
export class VaultGuard implements Guard {
  readonly #vault: Vault;
  readonly #kept: Kept;
  readonly #evidence: string;
  #seen: ReadonlyMap<string, string> = new Map();

  /** `evidence` is the folder in which what was found is kept; absolute. */
  constructor(vault: Vault, kept: Kept, evidence: string) {
    this.#vault = vault;
    this.#kept = kept;
    this.#evidence = evidence;
  }

  check({ found: tell, ...options }: GuardLook = {}): Breach | undefined {
    const stamps = new Map<string, string>();
    const changes = this.#vault.changes(this.#kept, { ...options, stamps });
    this.#seen = stamps;
    if (changes.length === 0) return undefined;
    const evidence = newFolder(this.#evidence, this.#kept.root);
    writePlain(join(evidence, 'changes.diff'), this.#vault.diffText(this.#kept, changes));
    const { root: place, digest: kept } = this.#kept;
    const found = { files: changes.map(({ path }) => path), evidence, kept, place };
    tell?.(found);
    const { problems } = this.#vault.putBack(this.#kept, changes, { evidence: join(evidence, 'files') });
    return { ...found, problems };
  }

  seen(): ReadonlyMap<string, string> {
    return this.#seen;
  }

  during(patterns: readonly string[]): VaultGuard {
    return new VaultGuard(this.#vault, this.#vault.keep(patterns), this.#evidence);
  }

  /** What differs, without putting anything back. */
  differences(): readonly string[] {
    return this.#vault.changes(this.#kept, { thorough: true }).map(({ path }) => path);
  }
}
