import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Everything the benchmark makes lies here, outside of any repository: inside one, a run would also ask git. */
export const work = join(tmpdir(), 'autoresearch-bench');

/** Makes a fresh folder with these files. */
export function writeFiles(name, files) {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}
