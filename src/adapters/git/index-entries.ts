import type { Git } from './git-run.js';
import type { CommitEntries } from './sound-commit.js';

/** Makes entries of an index what a commit says, of which somebody may have proven them; what that one does not have is taken out. */
export async function takeFrom(index: Git, from: string | CommitEntries, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const entries = typeof from === 'string' ? await entriesOf(index, from, new Set(files)) : linesOf(from);
  const lines = files.map((file) => entries.get(file) ?? `0 ${'0'.repeat(40)}\t${file}`);
  await index.run(['update-index', '-z', '--index-info'], { input: `${lines.join('\0')}\0` });
}

/** `mode blob\tpath` of each of these files that the commit has. */
async function entriesOf(git: Git, commit: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const listed = (await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])).stdout.toString('utf8').split('\0');
  const found = new Map<string, string>();
  for (const entry of listed) {
    const [facts = '', file = ''] = entry.split('\t');
    const [mode, , blob] = facts.split(' ');
    if (wanted.has(file)) found.set(file, `${mode} ${blob}\t${file}`);
  }
  return found;
}

/** A folder in the place of a file is no entry. */
const linesOf = (entries: CommitEntries): ReadonlyMap<string, string> =>
  new Map(
    [...entries].flatMap(([file, { mode, id }]) =>
      mode === '40000' ? [] : [[file, `${mode} ${id}\t${file}`] as const],
    ),
  );
