import type { Git } from './git-run.js';

/** Makes entries of an index what a commit says; what that one does not have is taken out. */
export async function takeFrom(index: Git, commit: string, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const entries = await entriesOf(index, commit, files);
  const lines = files.map((file) => entries.get(file) ?? `0 ${'0'.repeat(40)}\t${file}`);
  await index.run(['update-index', '-z', '--index-info'], { input: `${lines.join('\0')}\0` });
}

/** `mode blob\tpath` of each of these files that the commit has. */
async function entriesOf(git: Git, commit: string, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(files);
  const listed = (await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])).stdout.toString('utf8').split('\0');
  const found = new Map<string, string>();
  for (const entry of listed) {
    const [facts = '', file = ''] = entry.split('\t');
    const [mode, , blob] = facts.split(' ');
    if (wanted.has(file)) found.set(file, `${mode} ${blob}\t${file}`);
  }
  return found;
}
