import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of this package, from the bundle in dist/ and from the sources alike. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'schemas', 'config.schema.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package folder of autoresearch is not complete');
    folder = parent;
  }
  return folder;
}

export const presetsDir = (): string => join(packageRoot(), 'pipelines');

export const schemasDir = (): string => join(packageRoot(), 'schemas');
