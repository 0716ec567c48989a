import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const script = resolve(import.meta.dirname, 'fake-batch.mjs');

/** A folder with fake programs of schedulers for the front of PATH. */
export class FakeBatch {
  readonly env: Record<string, string>;
  readonly #home: string;

  constructor(dir: string) {
    this.#home = join(dir, 'fake-batch');
    const bin = join(this.#home, 'bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['kubectl', 'batch']) {
      const file = join(bin, name);
      writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' ${name} "$@"\n`);
      chmodSync(file, 0o755);
    }
    this.env = { PATH: `${bin}:${process.env.PATH}`, FAKE_BATCH: this.#home };
  }

  /** What the next call of a verb does instead: `submit late`, `state garbage`, `get hang`. */
  next(trick: string): void {
    writeFileSync(join(this.#home, 'next'), trick);
  }

  get calls(): readonly string[] {
    const file = join(this.#home, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  get manifest(): unknown {
    return JSON.parse(readFileSync(join(this.#home, 'manifest.json'), 'utf8'));
  }
}
