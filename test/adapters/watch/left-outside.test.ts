import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LeftNote, nothingLeft } from '../../../src/adapters/watch/left-outside.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'left-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const noted = (): LeftNote => new LeftNote(join(folder, 'note'));

it('what was found is known to the next one, and added to', () => {
  expect(noted().known).toEqual(nothingLeft);
  noted().add({ cleared: [], outside: [] });
  expect(noted().known).toEqual(nothingLeft);
  noted().add({ cleared: ['a.pyc'], outside: [] });
  noted().add({ cleared: [], outside: ['b.py'] });
  expect(noted().known).toEqual({ cleared: ['a.pyc'], outside: ['b.py'], problems: [] });
  noted().forget();
  expect(noted().known).toEqual(nothingLeft);
});

it.each([
  ['half of it', (file: string) => writeFileSync(file, '{"cleared"')],
  ['nothing in it', (file: string) => writeFileSync(file, '')],
  ['a folder in its place', (file: string) => mkdirSync(file)],
  ['a link in its place', (file: string) => symlinkSync('/dev/null', file)],
  ['a pipe in its place', (file: string) => void execFileSync('mkfifo', [file])],
])('a note that cannot be read does not say that there was nothing: %s', (_, spoil) => {
  spoil(join(folder, 'note'));
  expect(noted().known.outside).toEqual(['what a runner before had found, which cannot be read']);
});
