import { describe, expect, it } from 'vitest';
import { ownPath } from '../../src/adapters/process/own-path.js';

describe('where the runner looks for its own programs', () => {
  it.each([
    ['/usr/bin:/bin', '/usr/bin:/bin'],
    ['/work/p/node_modules/.bin:/work/node_modules/.bin:/usr/bin', '/usr/bin'],
    ['/work/p/bin:/work/pp/bin:/usr/bin', '/work/pp/bin:/usr/bin'],
    ['/work/p:.:bin::/usr/bin', '/usr/bin'],
    ['/work/p/bin', '/nonexistent'],
    [undefined, '/nonexistent'],
  ])('%s becomes %s', (path, own) => {
    expect(ownPath(path, '/work/p')).toBe(own);
  });
});
