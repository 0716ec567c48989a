import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { changedSince, snapshot } from '../../src/adapters/watch/changed-files.js';
import type { RecordedEvent } from '../../src/model/events/event.js';
import type { Isolation, OwnTree, Place } from '../../src/model/files/isolation.js';
import { Places } from '../../src/run/attempt/places.js';
import { planOf } from '../support/run-rig.js';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A worktree that is a folder, in which somebody really writes. */
function room() {
  const path = mkdtempSync(join(tmpdir(), 'autoresearch-places-'));
  made.push(path);
  const task = { ...planOf([{ id: 'b' }]).tasks[0]!, isolation: 'worktree' as const };
  const record = { branch: 'auto/b', path, base: '1', into: 'main', carried: {} };
  const place = { workspace: { root: path } } as unknown as Place;
  const tree = {
    record,
    place,
    broken: () => undefined,
    atRest() {
      const before = snapshot(path, { all: true });
      return () => changedSince(before, path).map((change) => change.path);
    },
  } as unknown as OwnTree;
  const events: RecordedEvent[] = [];
  const places = new Places({
    project: {} as Place,
    isolation: { goOn: async () => tree } as unknown as Isolation,
    recordOf: () => (events.some(({ type }) => type === 'worktree-kept') ? undefined : record),
    committedOf: () => undefined,
    record: (more) => events.push(...more),
  });
  const write = (name: string, text = 'x\n'): void => {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  write('own.txt');
  return { places, task, tree, path, events, write };
}

const waking = { wakes: true, beside: [] };

describe('a worktree whose task is not at work', () => {
  it('what somebody writes there is found before its task goes on, and it begins anew', () => {
    const { places, task, tree, path, events, write } = room();
    places.rest(task, tree);
    write('own.txt', 'y\n');
    write('node_modules/.cache/x');
    const failure = places.disturbed(task, { wakes: true, beside: ['a'] });
    const files = ['node_modules/.cache/x', 'own.txt'];
    expect(failure).toEqual({ code: 'worktree-written', path, files, beside: ['a'] });
    const why = `${path} holds what others wrote`;
    expect(events).toEqual([{ type: 'worktree-kept', task: 'b', branch: 'auto/b', path, why }]);
    expect(places.disturbed(task, waking)).toBeUndefined();
  });

  it('what its own task writes there is its work', () => {
    const { places, task, tree, events, write } = room();
    places.rest(task, tree);
    expect(places.disturbed(task, waking)).toBeUndefined();
    write('own.txt', 'y\n');
    places.rest(task, tree);
    expect(places.disturbed(task, { wakes: false, beside: [] })).toBeUndefined();
    write('late');
    expect(places.disturbed(task, waking)).toMatchObject({ files: ['late'] });
    expect(events).toHaveLength(1);
  });

  it('whoever mends may write there, and what was written before and after that is found all the same', async () => {
    const { places, task, tree, write } = room();
    places.rest(task, tree);
    write('before');
    expect(await places.mending(task, async () => write('mended'))).toBeUndefined();
    write('after');
    expect(places.disturbed(task, waking)).toMatchObject({ files: ['after', 'before'] });
  });
});
