import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository, type Repository } from '../../../src/adapters/git/git-repository.js';
import { WorktreeRoom } from '../worktree/worktree-room.js';

/** A room whose gits are written down, one line each. */
export class CountingRoom extends WorktreeRoom {
  readonly #log = join(this.folder, 'gits');
  readonly #bin = join(this.folder, 'bin');

  async repository(): Promise<Repository> {
    mkdirSync(this.#bin, { recursive: true });
    const script = `#!/bin/sh\necho "$*" >> '${this.#log}'\nPATH='${this.env.PATH}' exec git "$@"\n`;
    writeFileSync(join(this.#bin, 'git'), script, { mode: 0o755 });
    return openRepository(this.root, { env: { ...this.env, PATH: `${this.#bin}:${this.env.PATH}` } });
  }

  /** Those since the last time that somebody asked. */
  gits(): string[] {
    const said = existsSync(this.#log) ? readFileSync(this.#log, 'utf8').trimEnd().split('\n') : [];
    rmSync(this.#log, { force: true });
    return said;
  }
}
