import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { idleWatch } from '../../../src/adapters/command/idle-watch.js';
import type { Clock } from '../../../src/model/ports.js';
import { Room, StoppedClock } from './room.js';

let room: Room;
let clock: StoppedClock;
let idle: number;
let stop: () => void;
const watch = (idleMs: number): void => {
  stop = idleWatch({
    stdoutFile: room.path('out'),
    stderrFile: room.path('err'),
    idleMs,
    clock,
    onIdle: () => {
      idle += 1;
    },
  });
};
beforeEach(() => {
  room = new Room();
  clock = new StoppedClock();
  idle = 0;
});
afterEach(() => room.remove());

it('tells once, when the time is up and not before', () => {
  watch(10_000);
  clock.advance(9_999);
  expect(idle).toBe(0);
  clock.advance(1);
  expect(idle).toBe(1);
  clock.advance(100_000);
  expect(idle).toBe(1);
});

it('begins anew with every output on either stream', () => {
  watch(4000);
  for (const file of ['out', 'err', 'out', 'err']) {
    clock.advance(3500);
    appendFileSync(room.path(file), '.');
    clock.advance(500);
  }
  expect(idle).toBe(0);
  clock.advance(3999);
  expect(idle).toBe(0);
  clock.advance(1);
  expect(idle).toBe(1);
});

it('takes any change of size for a sign of life', () => {
  writeFileSync(room.path('out'), 'long');
  watch(4000);
  clock.advance(3000);
  truncateSync(room.path('out'), 1);
  clock.advance(3999);
  expect(idle).toBe(0);
});

it('looks four times within a short limit', () => {
  watch(40);
  clock.advance(25);
  appendFileSync(room.path('err'), '.');
  clock.advance(44);
  expect(idle).toBe(0);
  clock.advance(1);
  expect(idle).toBe(1);
});

it('can be stopped', () => {
  watch(1000);
  clock.advance(900);
  stop();
  clock.advance(10_000);
  expect(idle).toBe(0);
});

it('does not count the time in which the machine slept', () => {
  let now = 0;
  let look: () => void = () => {};
  const sleepy: Clock = {
    now: () => now,
    after(_, callback) {
      look = callback;
      return () => {};
    },
  };
  idleWatch({
    stdoutFile: room.path('out'),
    stderrFile: room.path('err'),
    idleMs: 60_000,
    clock: sleepy,
    onIdle: () => {
      idle += 1;
    },
  });
  now = 8 * 3_600_000;
  look();
  expect(idle).toBe(0);
  for (let second = 0; second < 58; second += 1) {
    now += 1000;
    look();
  }
  expect(idle).toBe(1);
});
