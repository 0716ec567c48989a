import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Workspace } from '../../model/ports.js';
import { diskError } from '../disk/disk-error.js';

/** The project folder as behaviours see it: what they write stays inside, also through symbolic links. */
export function openWorkspace(root: string): Workspace {
  const realRoot = realpathSync(root);
  return {
    root,
    async readFile(path) {
      return readFileSync(resolve(root, path), 'utf8');
    },
    async writeFile(path, content) {
      const file = resolve(root, path);
      if (isOutside(root, file)) throw outside(path);
      if (/^\.(autoresearch|git)(\/|$)/.test(relative(root, file))) throw notOurs(path);
      try {
        mkdirSync(dirname(file), { recursive: true });
        if (isOutside(realRoot, join(realpathSync(dirname(file)), 'x'))) throw outside(path);
        replaceFile(file, content);
      } catch (error) {
        throw diskError(error, file);
      }
    },
  };
}

const isOutside = (root: string, file: string): boolean => {
  const inside = relative(root, file);
  return inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
};

const outside = (path: string): FailureError =>
  new FailureError({ code: 'behaviour-failed', detail: `${path} is outside the project folder` });

const notOurs = (path: string): FailureError =>
  new FailureError({ code: 'behaviour-failed', detail: `${path} belongs to git or to autoresearch itself` });

/** Nobody ever sees half a file. */
function replaceFile(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
