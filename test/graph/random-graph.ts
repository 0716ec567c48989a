import fc from 'fast-check';
import type { GraphTask } from '../../src/graph/links.js';

/** Tasks in any order, each needing some that come before it in a hidden order: never a circle. */
export const acyclic: fc.Arbitrary<readonly GraphTask[]> = fc
  .array(fc.array(fc.nat(), { maxLength: 5 }), { maxLength: 40 })
  .chain((picks) => {
    const tasks = picks.map((numbers, index) => ({
      id: `t${index}`,
      needs: index === 0 ? [] : numbers.map((number) => `t${number % index}`),
    }));
    return fc.shuffledSubarray(tasks, { minLength: tasks.length, maxLength: tasks.length });
  });

/** Any needs at all, of itself too. */
export const anyGraph: fc.Arbitrary<readonly GraphTask[]> = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 25 })
  .map((picks) =>
    picks.map((numbers, index) => ({ id: `t${index}`, needs: numbers.map((number) => `t${number % picks.length}`) })),
  );

/** The same graph with equal lists of needs as one object, which is what makes barriers of them. */
export function shared(tasks: readonly GraphTask[]): readonly GraphTask[] {
  const lists = new Map<string, readonly string[]>();
  return tasks.map(({ id, needs }) => {
    const key = needs.join(' ');
    if (!lists.has(key)) lists.set(key, needs);
    return { id, needs: lists.get(key)! };
  });
}

/** The same graph with a list of its own for each task. */
export const unshared = (tasks: readonly GraphTask[]): readonly GraphTask[] =>
  tasks.map(({ id, needs }) => ({ id, needs: [...needs] }));

/** A few lists of needs for many tasks, so that most of them are shared: layer upon layer. */
export const layered: fc.Arbitrary<readonly GraphTask[]> = fc
  .array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 6 })
  .map((widths) => {
    let before: readonly string[] = [];
    return widths.flatMap((width, layer) => {
      const needs = before;
      const tasks = Array.from({ length: width + 1 }, (_, index) => ({ id: `l${layer}-${index}`, needs }));
      before = tasks.map(({ id }) => id);
      return tasks;
    });
  });
