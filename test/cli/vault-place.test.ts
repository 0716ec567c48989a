import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptFolder } from '../../src/cli/run/vault-place.js';
import { Project } from '../support/project.js';

describe('where copies are kept', () => {
  const { dir } = new Project();
  const usual = join(userInfo().homedir, '.local/state/autoresearch');

  it.each([
    [{ HOME: '/home/a' }, '/home/a/.local/state/autoresearch'],
    [{ HOME: '/home/a', XDG_STATE_HOME: '/state' }, '/state/autoresearch'],
    [{ HOME: '/home/a', XDG_STATE_HOME: 'state' }, '/home/a/.local/state/autoresearch'],
    // A home that is none must not lead into the folder that one happens to be in.
    [{ HOME: '', XDG_STATE_HOME: '' }, usual],
    [{ HOME: 'home' }, usual],
    [{}, usual],
  ])('%j', (env, place) => {
    expect(keptFolder(dir, env)).toBe(place);
  });
});
