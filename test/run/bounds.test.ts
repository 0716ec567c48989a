import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../src/run/protect/bounds.js';
import { Claims } from '../../src/run/protect/claims.js';
import { planOf } from '../support/run-rig.js';

describe('what an agent may write', () => {
  const [own, other] = planOf([
    { id: 'own', scope: ['src/**'] },
    { id: 'other', scope: ['**'] },
  ]).tasks;
  const files = ['src/a', 'notes', 'study.yaml', 'samples/x'];
  const held = ['study.yaml', 'samples/*'];

  it.each([
    ['nobody', false, ['notes', 'study.yaml', 'samples/x']],
    ['somebody who may write everything', true, ['study.yaml', 'samples/x']],
  ])("what is held is nobody else's doing, with %s at work beside it", async (_, isBeside, forbidden) => {
    const claims = new Claims();
    if (isBeside) claims.begin(other!);
    const bounds = await boundsOf(own!, { access: 'write', claims, held, protect: [] });
    expect(bounds.forbidden(bounds.own(files))).toEqual(forbidden);
  });

  it('without a scope it may write all but what is held, and what is held in a scope, too, is held', async () => {
    const { scope: _, ...free } = own!;
    for (const task of [free, { ...free, scope: ['**'] }]) {
      const bounds = await boundsOf(task, { access: 'write', claims: new Claims(), held, protect: [] });
      expect(bounds.forbidden(files)).toEqual(['study.yaml', 'samples/x']);
      expect(bounds.held(files)).toEqual(['study.yaml', 'samples/x']);
    }
  });

  it('knows what is protected, by the study or by the stage', async () => {
    const task = { ...own!, protect: ['src/a'] };
    const bounds = await boundsOf(task, { access: 'write', claims: new Claims(), held, protect: ['notes'] });
    expect(bounds.guarded(files)).toEqual(['src/a', 'notes']);
  });
});
