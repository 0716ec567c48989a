import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { diskError } from '../../adapters/disk/disk-error.js';
import { makeFolders } from '../../adapters/disk/make-folders.js';
import type { Change } from './changes.js';

/** Does it, and says of each file and each line what was done. */
export const makeChanges = (changes: readonly Change[], cwd: string): readonly string[] =>
  changes.flatMap((change) => {
    try {
      return made(change, relative(cwd, change.file));
    } catch (error) {
      throw diskError(error, change.file);
    }
  });

function made(change: Change, name: string): readonly string[] {
  switch (change.kind) {
    case 'keep':
      return [`kept ${name}: ${change.why}`];
    case 'write':
      makeFolders(dirname(change.file));
      writeFileSync(change.file, change.content, { flag: 'wx' });
      return [`wrote ${name}`];
    case 'add':
      add(change.file, change.lines);
      return (change.told === undefined ? change.lines : [change.told]).map((told) => `added to ${name}: ${told}`);
  }
}

/** With the line ends that the file has. */
function add(file: string, lines: readonly string[]): void {
  const known = readFileSync(file, 'utf8');
  const end = known.includes('\r\n') ? '\r\n' : '\n';
  const start = known === '' || known.endsWith('\n') ? '' : end;
  appendFileSync(file, `${start}${lines.map((line) => `${line}${end}`).join('')}`);
}
