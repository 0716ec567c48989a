import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenFolder } from '../../../src/adapters/mirror/mirror-folder.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'open-folder-')));
  mkdirSync(join(dir, 'real'));
  writeFileSync(join(dir, 'real/file'), '');
  symlinkSync('real', join(dir, 'link'));
  symlinkSync('real/file', join(dir, 'file-link'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('OpenFolder', () => {
  // Whoever looked first may have seen something else.
  it('opens neither a link nor a pipe nor a file as a folder', () => {
    const folder = new OpenFolder(dir);
    for (const name of ['link', 'pipe', 'file-link', 'real/file', 'nothing'])
      expect(() => folder.folder(name)).toThrow(/ENOTDIR|ELOOP|ENOENT/);
    folder.close();
  });

  it('reads files only, and waits for nobody', () => {
    const folder = new OpenFolder(dir);
    for (const name of ['link', 'pipe', 'file-link', 'real', 'nothing']) expect(() => folder.read(name)).toThrow();
    closeSync(folder.read('real/file'));
    folder.close();
  });

  it('stays the folder that was opened', () => {
    const folder = new OpenFolder(join(dir, 'real'));
    expect(folder.isAt(join(dir, 'real'))).toBe(true);
    renameSync(join(dir, 'real'), join(dir, 'moved'));
    mkdirSync(join(dir, 'real'));
    expect(folder.names()).toEqual(['file']);
    expect(folder.isAt(join(dir, 'real'))).toBe(false);
    folder.close();
  });
});
