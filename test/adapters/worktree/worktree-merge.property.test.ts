import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { everything, WorktreeRoom } from './worktree-room.js';

interface Change {
  readonly file: string;
  /** None: removed. */
  readonly lines?: readonly string[];
}

const lines = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    file: fc.constantFrom('a', 'b', 'deep/c', 'deep/d', 'new', 'a-new', 'deep/new'),
    // One line of a text changed: two such changes meet or do not meet.
    lines: fc.nat({ max: 8 }).map((at) => lines.map((line, index) => (index === at ? `${line} changed` : line))),
  }),
  fc.record({ file: fc.constantFrom('a', 'b', 'deep/c') }),
);

it('two worktrees merged one after the other are what plain git merge makes of them', {
  timeout: 300_000,
}, async () => {
  const text = `${lines.join('\n')}\n`;
  const changes = fc.array(change, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(changes, changes, async (left, right) => {
      const room = new WorktreeRoom({ a: text, b: text, 'deep/c': text });
      try {
        const trees = await room.open();
        for (const [name, those] of [
          ['x', left],
          ['y', right],
        ] as const) {
          const { path } = await trees.create({ branch: `auto/${name}`, base: 'main', path: name });
          for (const one of those) apply(path, one, name);
          await trees.commit({ path: name, message: name, allow: everything });
        }
        const scratch = join(room.folder, 'scratch');
        room.git('clone', '-q', room.root, scratch);
        for (const name of ['x', 'y']) {
          const ours = await trees.merge({ branch: `auto/${name}`, into: 'main', message: name });
          const plain = plainMerge(room, scratch, `origin/auto/${name}`);
          expect(ours.kind === 'conflict' ? [...ours.files].sort() : 'clean').toEqual(plain);
          expect(room.git('rev-parse', 'main^{tree}')).toBe(room.gitIn(scratch, 'rev-parse', 'HEAD^{tree}'));
          expect(room.git('status', '--porcelain')).toBe('');
        }
      } finally {
        room.close();
      }
    }),
    { numRuns: 12 },
  );
});

function apply(path: string, { file, lines: content }: Change, name: string): void {
  const target = join(path, file);
  rmSync(target, { force: true });
  if (content === undefined) return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${content.map((line) => line.replace('changed', name)).join('\n')}\n`);
}

/** The files that conflict, or `clean`. Leaves no merge open. */
function plainMerge(room: WorktreeRoom, folder: string, branch: string): string | readonly string[] {
  try {
    const who = ['-c', 'user.name=p', '-c', 'user.email=p@example.invalid'];
    execFileSync('git', [...who, 'merge', '-q', '--no-ff', '-m', 'm', branch], {
      cwd: folder,
      env: room.env,
      stdio: 'pipe',
    });
    return 'clean';
  } catch {
    const files = room.gitIn(folder, 'diff', '--name-only', '--diff-filter=U').split('\n').sort();
    room.gitIn(folder, 'merge', '--abort');
    return files;
  }
}
