import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buildSync } from 'esbuild';

type DriverProcess = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

/** A small program of a test, built so that it can run in processes of its own. */
export class Driver {
  readonly folder: string;
  readonly #file: string;
  readonly #started: ChildProcess[] = [];

  /** `source` is the absolute path of a TypeScript file. */
  constructor(source: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'driver-'));
    this.#file = join(this.folder, 'driver.mjs');
    // Packages in the bundle may be CommonJS, and require what comes with Node.
    const js = `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`;
    const how = { bundle: true, platform: 'node', format: 'esm', banner: { js } } as const;
    buildSync({ ...how, entryPoints: [source], outfile: this.#file });
  }

  start(args: readonly string[]): DriverProcess {
    const child = spawn(process.execPath, [this.#file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#started.push(child);
    return child;
  }

  close(): void {
    for (const child of this.#started) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
