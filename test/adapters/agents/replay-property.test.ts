import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.js';
import { ask, lab, player, recorder, treeOf } from './recording-rig.js';

type Entry =
  | { readonly path: string; readonly content: Uint8Array; readonly mode: number }
  | { readonly path: string; readonly link: string }
  | { readonly path: string; readonly gone: true };

const path = fc
  .array(fc.constantFrom('a', 'b', 'ü x', 'C'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const text = fc.string({ unit: 'binary' }).map((content) => new TextEncoder().encode(content));
const content = fc.oneof(
  text,
  fc.uint8Array({ maxLength: 40 }),
  fc.constantFrom('', '\n', 'x\r\ny', '\ufeffx').map((each) => new TextEncoder().encode(each)),
);
const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ path, content, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o444) }) },
  { weight: 1, arbitrary: fc.record({ path, link: fc.constantFrom('a', './b', 'nowhere/at/all', '.') }) },
  { weight: 2, arbitrary: path.map((each) => ({ path: each, gone: true }) as const) },
);
const reply = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

/** Whatever stands in the way of an entry goes, as an agent with `rm -rf` would have it. */
function change(root: string, entries: readonly Entry[]): void {
  for (const each of entries) {
    const place = join(root, each.path);
    const parts = each.path.split('/');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const parent = join(root, ...parts.slice(0, depth));
      if (lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(parent);
    }
    rmSync(place, { recursive: true, force: true });
    if ('gone' in each) continue;
    mkdirSync(dirname(place), { recursive: true });
    if ('link' in each) symlinkSync(each.link, place);
    else {
      writeFileSync(place, each.content);
      chmodSync(place, each.mode);
    }
  }
}

it('record and replay: the same reply and the same tree, whatever was changed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 8 }),
      fc.array(fc.array(entry, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      reply,
      async (start, calls, said) => {
        const here = lab();
        const there = lab({ folder: here.folder });
        for (const { root } of [here, there]) change(root, start);
        const todo = [...calls];
        const agents = recorder(here, ({ cwd }) => {
          change(cwd, todo.shift()!);
          return { ok: true, reply: { ...said, left: todo.length } };
        });
        const replay = player(there);
        for (let call = 0; call < calls.length; call += 1) {
          const live = await ask(agents, here);
          const again = await ask(replay, there);
          expect(again).toEqual({ ...live, usd: 0, tokens: { input: 0, output: 0 } });
          expect(treeOf(there.root)).toEqual(treeOf(here.root));
        }
        expect(here.said).toEqual([]);
        for (const { home } of [here, there]) rmSync(home, { recursive: true });
      },
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60) },
  );
}, 60_000);
