import { appendFileSync, chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPlainFile } from '../../../src/adapters/vault/vault-file.js';
import { sha256 } from '../../support/sha256.js';

describe('a file that somebody is at work on while it is read', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'autoresearch-file-')), 'a');
  /** Does it at each of the first so many readings. */
  const read = (times: number, trick: () => void) => {
    let done = 0;
    writeFileSync(file, 'old');
    return readPlainFile(file, () => {
      done += 1;
      if (done <= times) trick();
    });
  };
  const replace = (): void => {
    rmSync(file);
    writeFileSync(file, 'new');
  };

  it('is read again: what stands there in the end counts', () => {
    expect(read(2, replace).digest).toBe(sha256('new'));
    expect(read(1, () => appendFileSync(file, '!')).digest).toBe(sha256('old!'));
  });

  it('is gone when it was removed, however often another one takes its place', () => {
    expect(() => read(1, () => rmSync(file))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => read(9, replace)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('is no answer when it changes for ever', () => {
    const turn = (): void => chmodSync(file, statSync(file).mode ^ 0o100);
    expect(() => read(99, turn)).toThrow('changes while it is read');
  });
});
