import { FailureError } from '../../model/failure.js';
import { foldersOf } from '../../model/glob.js';
import { type GitObject, nameOf, objectsCalled, readObjects } from './git-objects.js';
import type { Git } from './git-run.js';

/** What a commit has in the place of a file. */
export interface CommitEntry {
  readonly mode: string;
  readonly id: string;
}

export type CommitEntries = ReadonlyMap<string, CommitEntry>;

/**
 * What each of these commits has of these files; throws where an object on the way there is not what its name says. Git hashes what it is
 * given and believes what it finds: whoever can write in `.git` can exchange one object for another, and every checkout then gives the other. So
 * commits, folders and contents are hashed by us before anything is written from them.
 */
export async function soundEntries(
  git: Git,
  commits: readonly string[],
  files: readonly string[],
): Promise<readonly CommitEntries[]> {
  const folders = [...new Set(files.flatMap(foldersOf))];
  const namesIn = (commit: string): string[] => [
    commit,
    `${commit}^{tree}`,
    ...[...folders, ...files].map((path) => `${commit}:${path}`),
  ];
  const names = commits.flatMap(namesIn);
  const found = await objectsCalled(git, names);
  const contents = await hashed(git, found, (at) => names[at]!.replace(/^[^:]*:?/, ''));
  const width = names.length / Math.max(1, commits.length);
  return commits.map((_, at) => {
    const commit = found[at * width];
    return commit ? entriesOf(commit.id, files, contents) : new Map();
  });
}

/** The same of all files of a commit, but for their contents, which whoever writes them compares. */
export async function soundTree(git: Git, commit: string): Promise<CommitEntries> {
  const listed = await git.run(['ls-tree', '-r', '-t', '-z', '--full-tree', commit]);
  const entries = listed.stdout.toString('utf8').split('\0').filter(Boolean).map(lineOf);
  const folders = entries.filter(({ type }) => type === 'tree');
  const files = entries.filter(({ type }) => type !== 'tree').map(({ path }) => path);
  const found = await objectsCalled(git, [commit, `${commit}^{tree}`, ...folders.map(({ id }) => id)]);
  const contents = await hashed(git, found, (at) => folders[at - 2]?.path ?? '');
  return found[0] ? entriesOf(found[0].id, files, contents) : new Map();
}

/** Throws unless these contents are what their names say; by the files that they are of. */
export async function soundContents(git: Git, ids: ReadonlyMap<string, string>): Promise<void> {
  const files = [...ids.keys()];
  await hashed(git, await objectsCalled(git, [...ids.values()]), (at) => files[at]!);
}

/**
 * Two commits and what they began with can be merged: git compares and mixes what it has of all three, and where one of them was exchanged the
 * work of somebody goes without a word.
 */
export async function soundMerge(git: Git, ours: string, theirs: string): Promise<void> {
  const common = await git.line(['merge-base', ours, theirs], { accept: [0, 1] });
  const commits = [ours, theirs, ...(common === '' ? [] : [common])];
  const trees: CommitEntries[] = [];
  for (const commit of commits) trees.push(await soundTree(git, commit));
  const all = new Set(trees.flatMap((tree) => [...tree.keys()]));
  const isSame = (file: string): boolean => new Set(trees.map((tree) => tree.get(file)?.id)).size === 1;
  const differing = [...all].filter((file) => !isSame(file));
  if (differing.length > 0) await soundEntries(git, commits, differing);
}

/** A commit that git finds and does not believe looks like none. */
export async function refuseForgedHead(git: Git): Promise<void> {
  const tried = await git.run(['rev-parse', 'HEAD^{commit}'], { accept: [0, 1, 128] });
  const id = /hash mismatch ([0-9a-f]{40,64})/.exec(tried.stderr)?.[1];
  if (id !== undefined) throw exchanged([{ id, path: '' }]);
}

/** Commits and folders by their names; of files nothing is held. */
type Contents = ReadonlyMap<string, Buffer | undefined>;

async function hashed(
  git: Git,
  found: readonly (GitObject | undefined)[],
  pathOf: (at: number) => string,
): Promise<Contents> {
  const wanted = new Map<string, GitObject & { readonly path: string }>();
  for (const [at, object] of found.entries())
    if (object && !wanted.has(object.id)) wanted.set(object.id, { ...object, path: pathOf(at) });
  const contents = new Map<string, Buffer | undefined>();
  const forged: ForgedObject[] = [];
  await readObjects(git, [...wanted.values()], ({ id, type }, content) => {
    if (nameOf(type, content, id.length) !== id) forged.push({ id, path: wanted.get(id)!.path });
    contents.set(id, type === 'blob' ? undefined : Buffer.from(content));
  });
  if (forged.length > 0) throw exchanged(forged);
  return contents;
}

/** From the commit down, through what was hashed and nothing else. */
function entriesOf(commit: string, files: readonly string[], contents: Contents): CommitEntries {
  const read = (id: string, path: string): Buffer => {
    const content = contents.get(id);
    // Git was shown another way there: an object was exchanged between two looks.
    if (!content) throw exchanged([{ id, path }]);
    return content;
  };
  const trees = new Map<string, ReadonlyMap<string, CommitEntry>>();
  const treeOf = (id: string, path: string): ReadonlyMap<string, CommitEntry> => {
    const tree = trees.get(id) ?? treeIn(read(id, path), id.length / 2);
    trees.set(id, tree);
    return tree;
  };
  const top = /^tree ([0-9a-f]+)\n/.exec(read(commit, '').toString('latin1'))?.[1] ?? '';
  const found = new Map<string, CommitEntry>();
  for (const file of files) {
    const parts = file.split('/');
    let entry: CommitEntry | undefined = { mode: '40000', id: top };
    for (const [at, part] of parts.entries())
      entry = entry?.mode === '40000' ? treeOf(entry.id, parts.slice(0, at).join('/')).get(part) : undefined;
    if (entry) found.set(file, entry);
  }
  return found;
}

/** As git keeps a folder: mode, name and the name of the object, one after another. */
function treeIn(content: Buffer, idBytes: number): ReadonlyMap<string, CommitEntry> {
  const entries = new Map<string, CommitEntry>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) break;
    const mode = content.subarray(at, space).toString('latin1').replace(/^0+/, '');
    const id = content.subarray(end + 1, end + 1 + idBytes).toString('hex');
    entries.set(content.subarray(space + 1, end).toString('utf8'), { mode, id });
    at = end + 1 + idBytes;
  }
  return entries;
}

function lineOf(line: string): { readonly type: string; readonly id: string; readonly path: string } {
  const tab = line.indexOf('\t');
  const [, type = '', id = ''] = line.slice(0, tab).split(' ');
  return { type, id, path: line.slice(tab + 1) };
}

interface ForgedObject {
  readonly id: string;
  /** Relative to the top of the repository; empty for a commit and its folder. */
  readonly path: string;
}

const exchanged = (objects: readonly ForgedObject[]): FailureError =>
  new FailureError({ code: 'object-forged', objects });
