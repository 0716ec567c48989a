import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolders } from '../../src/adapters/disk/make-folders.js';

function room(): string {
  const dir = mkdtempSync(join(tmpdir(), 'folders-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

describe('making folders', () => {
  it('makes all that are missing, and is content with those that are there', () => {
    const dir = room();
    const deep = join(dir, 'a/b/c');
    makeFolders(deep);
    makeFolders(deep);
    makeFolders(`${deep}/`);
    symlinkSync(deep, join(dir, 'link'));
    makeFolders(join(dir, 'link/d'));
    expect(statSync(join(deep, 'd')).isDirectory()).toBe(true);
  });

  it('says what is in the way', () => {
    const dir = room();
    writeFileSync(join(dir, 'file'), '');
    symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'));
    expect(() => makeFolders(join(dir, 'file'))).toThrow(/EEXIST/);
    expect(() => makeFolders(join(dir, 'file/below/it'))).toThrow(/ENOTDIR/);
    expect(() => makeFolders(join(dir, 'dangling/below'))).toThrow(/EEXIST/);
  });

  it.skipIf(!existsSync('/proc/self'))('does not ask for ever where nothing can be made', () => {
    expect(() => makeFolders('/proc/no-such/a')).toThrow(/ENOENT/);
  });
});
