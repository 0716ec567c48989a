import { chmodSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommandRunner } from '../../../src/adapters/command/command-runner.js';
import { DirectRunner } from '../../../src/adapters/command/direct.js';
import { findProgram } from '../../../src/adapters/command/find-program.js';
import { Warden } from '../../../src/adapters/command/warden.js';
import { systemClock } from '../../../src/adapters/system-clock.js';
import { exited, finish, Room } from './room.js';

const create = (env: { readonly [name: string]: string }, more = {}) =>
  createCommandRunner({ clock: systemClock, env, maxSlots: 1, ...more });

let room: Room;
beforeEach(() => {
  room = new Room();
});
afterEach(() => room.remove());

describe('the runner', () => {
  it('is the warden where there is bash, on the path or at its usual place', () => {
    expect(create({ PATH: '/usr/bin:/bin' })).toBeInstanceOf(Warden);
    expect(create({})).toBeInstanceOf(Warden);
  });

  it('can be forced', () => {
    expect(create({ AUTORESEARCH_RUNNER: 'direct' })).toBeInstanceOf(DirectRunner);
    expect(create({ AUTORESEARCH_RUNNER: 'warden' })).toBeInstanceOf(Warden);
    expect(() => create({ AUTORESEARCH_RUNNER: 'fast' })).toThrow('AUTORESEARCH_RUNNER is fast, not direct or warden');
  });

  it('refuses a number of slots that is none', () => {
    for (const maxSlots of [0, -1, 1.5, Number.NaN]) {
      expect(() => createCommandRunner({ clock: systemClock, env: {}, maxSlots })).toThrow(RangeError);
    }
  });

  it('can be warmed up, used or not', async () => {
    const unused = create({}, { warm: true });
    await unused.close();
    const used = create({}, { warm: true });
    expect((await finish(used, room.spec('exit 3'))).exit).toEqual(exited(3));
    await used.close();
  });
});

describe('a program', () => {
  const program = (path: string, mode: number): string => {
    writeFileSync(room.path(path), '#!/bin/sh\n');
    chmodSync(room.path(path), mode);
    return room.path(path);
  };

  it('is looked for on the path, or beside the command when it has a slash', () => {
    const file = program('tool', 0o755);
    expect(findProgram('tool', '/', `/nowhere:${room.dir}`)).toEqual({ kind: 'found', file });
    expect(findProgram('./tool', room.dir, '/nowhere')).toEqual({ kind: 'found', file: `${room.dir}/./tool` });
    expect(findProgram(file, '/', '')).toEqual({ kind: 'found', file });
    expect(findProgram('tool', room.dir, '/nowhere')).toEqual({ kind: 'missing' });
    expect(findProgram('tool', room.dir, '/nowhere:')).toEqual({ kind: 'found', file: `${room.dir}/./tool` });
    expect(findProgram('sh', '/', undefined)).toMatchObject({ kind: 'found' });
  });

  it('must be a file that may be executed; a better one further down the path wins', () => {
    const file = program('tool', 0o644);
    expect(findProgram('tool', '/', room.dir)).toEqual({ kind: 'not-executable', file });
    expect(findProgram(room.dir, '/', '')).toEqual({ kind: 'missing' });
    expect(findProgram(`${file}/under`, '/', '')).toEqual({ kind: 'missing' });
    program('sh', 0o644);
    expect(findProgram('sh', '/', `${room.dir}:/bin`)).toEqual({ kind: 'found', file: '/bin/sh' });
  });
});
