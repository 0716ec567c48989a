import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFoldersOf } from '../../../src/adapters/sandbox/sandbox-homes.js';

describe('homeFoldersOf', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'sandbox-homes-'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  it('names and makes the folders of a CLI, and never all of the home', () => {
    expect(homeFoldersOf('claude', { HOME: home })).toEqual([join(home, '.claude')]);
    expect(homeFoldersOf('codex', { HOME: home, CODEX_HOME: join(home, 'c') })).toEqual([join(home, 'c')]);
    expect(statSync(join(home, 'c')).mode & 0o777).toBe(0o700);
    expect(homeFoldersOf('opencode', { HOME: home })).toHaveLength(4);
  });

  it('gives nothing to programs it does not know, and believes no relative path', () => {
    expect(homeFoldersOf('command', { HOME: home })).toEqual([]);
    expect(homeFoldersOf('claude', { HOME: '', CLAUDE_CONFIG_DIR: 'here' })).toEqual([]);
  });
});
