import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphTask } from '../../src/graph/links.js';
import { Readiness } from '../../src/graph/readiness.js';
import { acyclic, layered, shared, unshared } from './random-graph.js';

const takeAll = (readiness: Readiness): string[] => {
  const taken: string[] = [];
  for (let id = readiness.take(); id !== undefined; id = readiness.take()) taken.push(id);
  return taken;
};

const diamond: readonly GraphTask[] = [
  { id: 'bottom', needs: ['left', 'right'] },
  { id: 'right', needs: ['top'] },
  { id: 'left', needs: ['top'] },
  { id: 'top', needs: [] },
];

describe('Readiness', () => {
  test('hands out what may start, in plan order, and each task once', () => {
    const readiness = new Readiness(diamond);
    expect(takeAll(readiness)).toEqual(['top']);
    readiness.finish('top');
    expect(takeAll(readiness)).toEqual(['right', 'left']);
    readiness.finish('left');
    expect(takeAll(readiness)).toEqual([]);
    readiness.finish('right');
    expect(takeAll(readiness)).toEqual(['bottom']);
    expect(readiness.pending).toBe(1);
    readiness.finish('bottom');
    expect(readiness.pending).toBe(0);
    expect(readiness.take()).toBeUndefined();
  });

  test('guesses what comes next: the next in line, else who waits for nothing but the given task', () => {
    const readiness = new Readiness(diamond);
    expect(readiness.upcoming('top')).toBe('top');
    expect(readiness.take()).toBe('top');
    expect(readiness.upcoming('top')).toBe('right');
    readiness.finish('top');
    takeAll(readiness);
    expect(readiness.upcoming('right')).toBeUndefined();
    readiness.finish('left');
    expect(readiness.upcoming('right')).toBe('bottom');
  });

  test('what becomes ready earlier in the plan goes before what waits already', () => {
    const readiness = new Readiness([
      { id: 'late', needs: ['first'] },
      { id: 'first', needs: [] },
      { id: 'other', needs: [] },
    ]);
    expect(readiness.take()).toBe('first');
    readiness.finish('first');
    expect(takeAll(readiness)).toEqual(['late', 'other']);
  });

  test('a task that was never taken can finish, and is not handed out afterwards', () => {
    const readiness = new Readiness(diamond);
    readiness.finish('top');
    readiness.finish('left');
    expect(takeAll(readiness)).toEqual(['right']);
    readiness.finish('right');
    expect(takeAll(readiness)).toEqual(['bottom']);
  });

  test('a task that finished before its needs did is not handed out when they do', () => {
    const readiness = new Readiness(diamond);
    readiness.finish('bottom');
    expect(takeAll(readiness)).toEqual(['top']);
    readiness.finish('top');
    expect(takeAll(readiness)).toEqual(['right', 'left']);
    readiness.finish('left');
    readiness.finish('right');
    expect(takeAll(readiness)).toEqual([]);
    expect(readiness.pending).toBe(0);
  });

  test('finishing twice is a bug, and so is a name that is no task', () => {
    const readiness = new Readiness(diamond);
    readiness.finish('top');
    expect(() => readiness.finish('top')).toThrow('top finished twice');
    expect(() => readiness.finish('nobody')).toThrow('nobody is not a task of this graph');
    expect(() => readiness.dependants('constructor')).toThrow('constructor is not a task of this graph');
    expect(() => readiness.waitingFor('__proto__')).toThrow('__proto__ is not a task of this graph');
    expect(readiness.pending).toBe(3);
  });

  test('a second finish that was refused lets nobody go early', () => {
    const readiness = new Readiness(diamond);
    readiness.finish('left');
    expect(() => readiness.finish('left')).toThrow();
    takeAll(readiness);
    expect(readiness.waitingFor('bottom')).toEqual(['right']);
    expect(takeAll(readiness)).toEqual([]);
  });

  test('tasks of a circle are never handed out', () => {
    const readiness = new Readiness([
      { id: 'a', needs: ['b'] },
      { id: 'b', needs: ['a'] },
      { id: 'free', needs: [] },
    ]);
    expect(takeAll(readiness)).toEqual(['free']);
    expect(readiness.pending).toBe(3);
  });

  test('says what a task waits for and who waits for it, also through a shared list', () => {
    const needs = ['x', 'y'];
    const readiness = new Readiness([
      { id: 'b', needs },
      { id: 'x', needs: [] },
      { id: 'a', needs },
      { id: 'y', needs: [] },
      { id: 'own', needs: ['y', 'x'] },
    ]);
    expect(readiness.dependants('x')).toEqual(['b', 'a', 'own']);
    expect(readiness.dependants('b')).toEqual([]);
    expect(readiness.waitingFor('a')).toEqual(['x', 'y']);
    expect(readiness.waitingFor('own')).toEqual(['y', 'x']);
    readiness.finish('x');
    expect(readiness.waitingFor('a')).toEqual(['y']);
    readiness.finish('y');
    expect(readiness.waitingFor('a')).toEqual([]);
    expect(readiness.dependants('x')).toEqual(['b', 'a', 'own']);
  });
});

describe('properties', () => {
  /** Plays a run: hands out up to `jobs`, then finishes the one that the next number picks. */
  function play(tasks: readonly GraphTask[], jobs: number, picks: readonly number[]): string[] {
    const readiness = new Readiness(tasks);
    const log: string[] = [];
    const running: string[] = [];
    for (let step = 0; readiness.pending > 0; step += 1) {
      while (running.length < jobs) {
        const id = readiness.take();
        if (id === undefined) break;
        running.push(id);
        log.push(`+${id}`);
      }
      if (running.length === 0) throw new Error('nothing runs and nothing is ready');
      const [ended] = running.splice((picks[step % picks.length] ?? 0) % running.length, 1);
      readiness.finish(ended!);
      log.push(`-${ended}`);
    }
    return log;
  }

  const graphs = fc.oneof(acyclic, layered);
  const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });
  const jobs = fc.integer({ min: 1, max: 5 });

  test('each task starts once and never before its needs have ended', () => {
    fc.assert(
      fc.property(graphs, jobs, picks, (tasks, width, numbers) => {
        const log = play(tasks, width, numbers);
        const started = log.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
        expect([...started].sort()).toEqual(tasks.map(({ id }) => id).sort());
        for (const { id, needs } of tasks) {
          for (const need of needs) expect(log.indexOf(`-${need}`)).toBeLessThan(log.indexOf(`+${id}`));
        }
      }),
    );
  });

  test('the next task is always the first in plan order whose needs have ended', () => {
    fc.assert(
      fc.property(graphs, jobs, picks, (tasks, width, numbers) => {
        const ended = new Set<string>();
        const started = new Set<string>();
        for (const line of play(tasks, width, numbers)) {
          const id = line.slice(1);
          if (line.startsWith('-')) ended.add(id);
          else {
            const first = tasks.find((task) => !started.has(task.id) && task.needs.every((need) => ended.has(need)));
            expect(id).toBe(first?.id);
            started.add(id);
          }
        }
      }),
    );
  });

  test('lists of needs that are shared change nothing', () => {
    fc.assert(
      fc.property(graphs, jobs, picks, (tasks, width, numbers) => {
        expect(play(shared(tasks), width, numbers)).toEqual(play(unshared(tasks), width, numbers));
      }),
    );
  });

  test('waitingFor and dependants are what the needs say, at any moment', () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.boolean(), (tasks, number, share) => {
        const readiness = new Readiness(share ? shared(tasks) : tasks);
        const ended = new Set<string>();
        for (let left = tasks.length === 0 ? 0 : number % tasks.length; left > 0; left -= 1) {
          const id = readiness.take()!;
          readiness.finish(id);
          ended.add(id);
        }
        for (const { id, needs } of tasks) {
          expect(readiness.waitingFor(id)).toEqual(needs.filter((need) => !ended.has(need)));
          const waiting = tasks.filter((other) => other.needs.includes(id)).map((other) => other.id);
          expect(readiness.dependants(id)).toEqual(waiting);
        }
      }),
    );
  });
});

describe('size', () => {
  test('100,000 tasks in 100 layers of 1,000 that each need all of the layer before', () => {
    let before: readonly string[] = [];
    const tasks = Array.from({ length: 100 }).flatMap((_, layer) => {
      const needs = before;
      const wave = Array.from({ length: 1000 }, (_unused, index) => ({ id: `l${layer}-${index}`, needs }));
      before = wave.map(({ id }) => id);
      return wave;
    });
    const readiness = new Readiness(tasks);
    const taken: string[] = [];
    for (let id = readiness.take(); id !== undefined; id = readiness.take()) {
      taken.push(id);
      readiness.finish(id);
    }
    expect(taken).toEqual(tasks.map(({ id }) => id));
    expect(readiness.pending).toBe(0);
    expect(readiness.dependants('l0-0').length).toBe(1000);
  });

  test('100,000 tasks at once that all wait for one', () => {
    const needs = ['first'];
    const wide = Array.from({ length: 99_999 }, (_, index) => ({ id: `t${index}`, needs }));
    const readiness = new Readiness([...wide, { id: 'first', needs: [] }]);
    expect(takeAll(readiness)).toEqual(['first']);
    readiness.finish('first');
    expect(takeAll(readiness)).toEqual(wide.map(({ id }) => id));
  });
});
