import fc from 'fast-check';
import type { Sketch } from './sketch.js';

/** Each task may need or read any that stand before it; one that fails once has a second try. */
export const anySketches: fc.Arbitrary<readonly Sketch[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom<Sketch['kind']>('pass', 'pass', 'pass', 'once', 'never'),
      attempts: fc.constantFrom(1, 2),
      edges: fc.array(fc.record({ to: fc.nat(7), reads: fc.boolean() }), { maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((drafts) =>
    drafts.map(({ kind, attempts, edges }, index) => {
      const named = edges.filter(({ to }) => to < index).map(({ to, reads }) => ({ name: `t${to}`, reads }));
      const reads = [...new Set(named.filter((edge) => edge.reads).map(({ name }) => name))];
      const needs = [...new Set(named.filter((edge) => !edge.reads).map(({ name }) => name))];
      return { name: `t${index}`, kind, attempts: kind === 'once' ? 2 : attempts, reads, needs };
    }),
  );
