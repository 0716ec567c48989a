import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { digestFile } from '../../src/adapters/disk/file-digest.js';
import { sha256 } from '../support/sha256.js';

const dir = mkdtempSync(join(tmpdir(), 'file-digest-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = join(dir, 'data');
const piece = 1 << 18;

describe('the digest of a file', () => {
  it.each([0, 1, piece - 1, piece, piece + 1, 3 * piece, 3 * piece + 7])('is that of all its bytes: %d', (size) => {
    const bytes = Buffer.alloc(size, 'autoresearch ');
    writeFileSync(file, bytes);
    expect(digestFile(file)).toBe(sha256(bytes));
  });

  it('is that of what can be read where the system tells no size', () => {
    const text = execFileSync('cat', ['/proc/version']);
    expect(digestFile('/proc/version')).toBe(sha256(text));
  });

  it('is not waited for at a pipe, and a folder has none', () => {
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    expect(() => digestFile(join(dir, 'pipe'))).toThrow('is no file');
    expect(() => digestFile(dir)).toThrow();
  });
});
