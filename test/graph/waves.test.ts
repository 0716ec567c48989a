import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GraphTask } from '../../src/graph/links.js';
import { waves } from '../../src/graph/waves.js';
import { acyclic, anyGraph, layered, shared, unshared } from './random-graph.js';

const order = (tasks: readonly GraphTask[]): readonly (readonly string[])[] => {
  const result = waves(tasks);
  if ('cycle' in result) throw new Error(`a circle: ${result.cycle.join(' ')}`);
  return result.waves;
};

const cycleOf = (tasks: readonly GraphTask[]): readonly string[] | undefined => {
  const result = waves(tasks);
  return 'cycle' in result ? result.cycle : undefined;
};

/** What the answer must be, worked out the slow way: the longest chain of needs before a task. */
function depths(tasks: readonly GraphTask[]): Map<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const known = new Map<string, number>();
  const depth = (id: string): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const found = Math.max(-1, ...byId.get(id)!.needs.map(depth)) + 1;
    known.set(id, found);
    return found;
  };
  for (const { id } of tasks) depth(id);
  return known;
}

describe('waves', () => {
  test('no tasks give no waves', () => {
    expect(waves([])).toEqual({ waves: [] });
  });

  test('a task stands in the first wave after all of its needs, in plan order', () => {
    const tasks = [
      { id: 'z', needs: ['a'] },
      { id: 'b', needs: [] },
      { id: 'a', needs: [] },
      { id: 'y', needs: ['z', 'b'] },
      { id: 'x', needs: ['b'] },
    ];
    expect(waves(tasks)).toEqual({ waves: [['b', 'a'], ['z', 'x'], ['y']] });
  });

  test('a need that is written twice counts once', () => {
    expect(
      waves([
        { id: 'a', needs: [] },
        { id: 'b', needs: ['a', 'a'] },
      ]),
    ).toEqual({ waves: [['a'], ['b']] });
  });

  test('a need that is no task and a name given twice are bugs of the caller', () => {
    expect(() => waves([{ id: 'a', needs: ['b'] }])).toThrow('a needs b, which is not a task');
    const twice = [
      { id: 'a', needs: [] },
      { id: 'a', needs: [] },
    ];
    expect(() => waves(twice)).toThrow('two tasks are called a');
    const needs = ['a', 'gone'];
    const both = [
      { id: 'a', needs: [] },
      { id: 'b', needs },
      { id: 'c', needs },
    ];
    expect(() => waves(both)).toThrow('needs gone, which is not a task');
  });

  test('property: each task once, in the wave of its depth, in plan order', () => {
    fc.assert(
      fc.property(fc.oneof(acyclic, layered), (tasks) => {
        const depth = depths(tasks);
        const expected: string[][] = [];
        for (const { id } of tasks) expected[depth.get(id)!] = [...(expected[depth.get(id)!] ?? []), id];
        expect(order(tasks)).toEqual(expected);
      }),
    );
  });

  test('property: nothing comes before its needs', () => {
    fc.assert(
      fc.property(acyclic, (tasks) => {
        const done = new Set<string>();
        const byId = new Map(tasks.map((task) => [task.id, task]));
        for (const wave of order(tasks)) {
          for (const id of wave) for (const need of byId.get(id)!.needs) expect(done).toContain(need);
          for (const id of wave) done.add(id);
        }
        expect(done.size).toBe(tasks.length);
      }),
    );
  });

  test('property: lists of needs that are shared change nothing', () => {
    fc.assert(
      fc.property(fc.oneof(acyclic, layered, anyGraph), (tasks) => {
        expect(waves(shared(tasks))).toEqual(waves(unshared(tasks)));
      }),
    );
  });
});

describe('circles', () => {
  test('a task that needs itself', () => {
    expect(waves([{ id: 'a', needs: ['a'] }])).toEqual({ cycle: ['a', 'a'] });
  });

  test('begins with the first of its tasks in plan order, and leaves out what only hangs on it', () => {
    const tasks = [
      { id: 'after', needs: ['c'] },
      { id: 'before', needs: [] },
      { id: 'b', needs: ['before', 'c'] },
      { id: 'c', needs: ['d'] },
      { id: 'd', needs: ['b'] },
    ];
    expect(waves(tasks)).toEqual({ cycle: ['b', 'c', 'd', 'b'] });
  });

  test('all of one layer need all of another and back', () => {
    const left = ['a', 'b'];
    const right = ['x', 'y'];
    const tasks = [...left.map((id) => ({ id, needs: right })), ...right.map((id) => ({ id, needs: left }))];
    expect(waves(tasks)).toEqual({ cycle: ['a', 'x', 'a'] });
  });

  test('property: one is reported exactly when there is one, it really is one, and it goes round once', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const cycle = cycleOf(tasks);
        expect(cycle !== undefined).toBe(hasCircle(tasks));
        if (!cycle) return;
        const byId = new Map(tasks.map((task) => [task.id, task]));
        expect(cycle.length).toBeGreaterThan(1);
        expect(cycle[0]).toBe(cycle.at(-1));
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        for (const [step, id] of cycle.slice(0, -1).entries()) expect(byId.get(id)!.needs).toContain(cycle[step + 1]);
        const position = (id: string | undefined): number => tasks.findIndex((task) => task.id === id);
        expect(position(cycle[0])).toBe(Math.min(...cycle.map(position)));
      }),
      { numRuns: 300 },
    );
  });

  test('property: the same graph gives the same circle every time', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        expect(waves(unshared(tasks))).toEqual(waves(tasks));
      }),
    );
  });
});

/** Takes away what has no unfinished need, again and again. */
function hasCircle(tasks: readonly GraphTask[]): boolean {
  let left = [...tasks];
  for (;;) {
    const names = new Set(left.map(({ id }) => id));
    const next = left.filter(({ needs }) => needs.some((need) => names.has(need)));
    if (next.length === left.length) return left.length > 0;
    left = next;
  }
}

describe('size', () => {
  test('a chain of 100,000 tasks', () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => ({
      id: `t${index}`,
      needs: index === 0 ? [] : [`t${index - 1}`],
    }));
    const found = order(tasks);
    expect(found.length).toBe(100_000);
    expect(found.at(-1)).toEqual(['t99999']);
  });

  test('a circle of 100,000 tasks', () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => ({
      id: `t${index}`,
      needs: [`t${(index + 1) % 100_000}`],
    }));
    expect(cycleOf(tasks)?.length).toBe(100_001);
  });

  test('100,000 tasks side by side, and one after them all', () => {
    const wide = Array.from({ length: 100_000 }, (_, index) => ({ id: `t${index}`, needs: [] }));
    const found = order([...wide, { id: 'end', needs: wide.map(({ id }) => id) }]);
    expect(found.map((wave) => wave.length)).toEqual([100_000, 1]);
  });

  test('three layers of 1,000 that each need all of the layer before', () => {
    expect(order(allToAll(3, 1000)).map((wave) => wave.length)).toEqual([1000, 1000, 1000]);
  });
});

function allToAll(layers: number, width: number): GraphTask[] {
  let before: readonly string[] = [];
  return Array.from({ length: layers }).flatMap((_, layer) => {
    const needs = before;
    const tasks = Array.from({ length: width }, (_unused, index) => ({ id: `l${layer}-${index}`, needs }));
    before = tasks.map(({ id }) => id);
    return tasks;
  });
}
