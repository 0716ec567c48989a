import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWorkspace } from '../../src/adapters/behaviours/project-workspace.js';

function room(): { readonly outside: string; readonly root: string } {
  const outside = mkdtempSync(join(tmpdir(), 'autoresearch-room-'));
  const root = join(outside, 'project');
  mkdirSync(root);
  return { outside, root };
}

describe('what a behaviour may write', () => {
  it('is anything in the project, whole or not at all', async () => {
    const { root } = room();
    await openWorkspace(root).writeFile('a/b/c.txt', 'text');
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('text');
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt']);
  });

  it.each(['../out.txt', 'a/../../out.txt', '.', ''])('is not %j', async (path) => {
    const { root, outside } = room();
    await expect(openWorkspace(root).writeFile(path, 'x')).rejects.toMatchObject({
      failure: { code: 'behaviour-failed', detail: `${path} is outside the project folder` },
    });
    expect(existsSync(join(outside, 'out.txt'))).toBe(false);
  });

  it('is not an absolute path elsewhere, nor one through a link that leads out', async () => {
    const { root, outside } = room();
    symlinkSync(outside, join(root, 'link'));
    const refused = { failure: { code: 'behaviour-failed' } };
    await expect(openWorkspace(root).writeFile(join(outside, 'out.txt'), 'x')).rejects.toMatchObject(refused);
    await expect(openWorkspace(root).writeFile('link/out.txt', 'x')).rejects.toMatchObject(refused);
    expect(readdirSync(outside)).toEqual(['project']);
  });

  it.each(['.autoresearch/default/lock', '.git/hooks/pre-commit', 'a/../.autoresearch/x'])(
    'is not %s',
    async (path) => {
      const { root } = room();
      await expect(openWorkspace(root).writeFile(path, 'x')).rejects.toMatchObject({
        failure: { detail: `${path} belongs to git or to autoresearch itself` },
      });
      expect(readdirSync(root)).toEqual([]);
    },
  );
});
