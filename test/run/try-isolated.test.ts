import { expect, it } from 'vitest';
import { type IsolatedTools, tryIsolated } from '../../src/run/attempt/try-isolated.js';
import { Claims } from '../../src/run/protect/claims.js';
import { planOf } from '../support/run-rig.js';

it('what a task of the project wrote while the first look was taken is no trespass, though it has ended since', async () => {
  const [own, other] = planOf([{ id: 'own' }, { id: 'other', outputs: ['out/*'] }]).tasks;
  const claims = new Claims();
  const endOther = claims.begin(other!);
  const failure = { code: 'command-failed', exitCode: 3 } as const;
  const tree = {
    async watchMain() {
      endOther();
      return { changes: async () => ({ files: ['out/done'] }) };
    },
    broken: () => undefined,
  };
  const tools = {
    claims,
    committedOf: () => undefined,
    places: { tree: async () => tree, disturbed: () => undefined, rest() {} },
    attempt: async () => ({ ok: false, failure }),
  } as unknown as IsolatedTools;
  expect(await tryIsolated(own!, {} as never, tools)).toEqual({ ok: false, failure });
});
