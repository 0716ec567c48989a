import fc from 'fast-check';
import { expect, test } from 'vitest';
import { downstreamOf, upstreamOf } from '../../src/graph/reach.js';
import { Readiness } from '../../src/graph/readiness.js';

const chain = [
  { id: 'a', needs: [] },
  { id: 'b', needs: ['a'] },
  { id: 'c', needs: ['b'] },
  { id: 'x', needs: [] },
];

test('what is reopened comes again in its order; what is under way elsewhere does not', () => {
  const readiness = new Readiness(chain);
  expect([readiness.take(), readiness.take()]).toEqual(['a', 'x']);
  readiness.finish('a');
  expect(readiness.take()).toBe('b');
  readiness.finish('b');
  expect(readiness.take()).toBe('c');
  readiness.reopen(['a', 'b', 'c']);
  expect([readiness.take(), readiness.take(), readiness.pending]).toEqual(['a', undefined, 4]);
  readiness.finish('x');
  readiness.finish('a');
  expect([readiness.take(), readiness.take()]).toEqual(['b', undefined]);
  readiness.finish('b');
  readiness.finish(readiness.take()!);
  expect(readiness.pending).toBe(0);
});

test('upstream and downstream', () => {
  expect([...upstreamOf('c', chain)].sort()).toEqual(['a', 'b']);
  expect([...downstreamOf(['a'], chain)].sort()).toEqual(['b', 'c']);
  expect([...downstreamOf(['c', 'x'], chain)]).toEqual([]);
});

test('whatever is reopened at whatever time, every task comes after its needs and all come to an end', () => {
  const graphs = fc.array(fc.array(fc.nat(20), { maxLength: 3 }), { minLength: 1, maxLength: 12 }).map((needs) =>
    needs.map((list, index) => ({
      id: `t${index}`,
      needs: [...new Set(list.filter((n) => n < index))].map((n) => `t${n}`),
    })),
  );
  fc.assert(
    fc.property(graphs, fc.array(fc.tuple(fc.nat(30), fc.nat(11)), { maxLength: 3 }), (tasks, reopenings) => {
      const readiness = new Readiness(tasks);
      const done = new Set<string>();
      const left = new Map(reopenings);
      for (let step = 0; readiness.pending > 0; step += 1) {
        expect(step).toBeLessThan(200);
        const again = left.get(step);
        if (again !== undefined && again < tasks.length) {
          left.delete(step);
          const ids = [`t${again}`, ...downstreamOf([`t${again}`], tasks)];
          readiness.reopen(ids);
          for (const id of ids) done.delete(id);
          continue;
        }
        const id = readiness.take();
        expect(id).toBeDefined();
        for (const need of tasks.find((task) => task.id === id)!.needs) expect(done).toContain(need);
        expect(done).not.toContain(id);
        done.add(id!);
        readiness.finish(id!);
      }
      expect(done.size).toBe(tasks.length);
    }),
  );
});
