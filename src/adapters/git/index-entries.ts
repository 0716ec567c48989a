import type { Git } from './git-run.js';
import type { IndexFile } from './index-file.js';

/** Makes entries of an index what a commit says, or another index; what that one does not have is taken out. */
export async function takeFrom(index: Git, from: string | IndexFile, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  const wanted = new Set(files);
  const entries = typeof from === 'string' ? await entriesOf(index, from, wanted) : entriesIn(from, wanted);
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

function entriesIn({ entries }: IndexFile, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, mode, id } of entries) {
    const file = Buffer.from(name, 'latin1').toString();
    if (wanted.has(file)) found.set(file, `${mode} ${id}\t${file}`);
  }
  return found;
}
