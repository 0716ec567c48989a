import { join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { FileWatch, PutBackFiles } from '../../model/files/file-watch.js';
import { literally } from '../../model/glob.js';
import { loadGlobMatch } from '../../source/glob.js';
import { newFolder } from '../disk/new-folder.js';
import { writePlain } from '../disk/plain-file.js';
import { indexedBlobs } from '../git/git-blob.js';
import { ownFolders } from '../kept/own-folders.js';
import type { Kept, Vault } from '../vault/vault.js';
import { printable } from '../vault/vault-path.js';
import { changedSince, snapshot } from './changed-files.js';
import { type CopyLimits, copyLimits, placeCopies } from './tree-copies.js';
import { clearCaches } from './written-caches.js';

export interface TreeWatchOptions {
  readonly root: string;
  /** Files and folders that nobody watches. */
  readonly leaveOut: readonly string[];
  /** Where copies are held. */
  readonly vault: Vault;
  /** Absolute: where what was found is kept, outside of what agents know of. Asked for when there is something. */
  readonly evidence: string | (() => string);
  /** Globs that may be written; absent: all. */
  readonly allowed?: readonly string[];
  /** Paths and globs of which there are copies in any case. */
  readonly held?: readonly string[];
  /** Globs of what tasks make. */
  readonly made?: readonly string[];
  /** Agents cannot write outside of their scope anyway, or are only to look. */
  readonly isFenced?: boolean;
  readonly limits?: CopyLimits;
}

export interface TreeWatch extends Pick<FileWatch, 'changed' | 'putBack'> {
  /** What the tree was like, for whoever goes on after this process. */
  readonly kept: readonly string[];
}

/** Watches a project's files, with copies of what must not be changed. Throws when that is more than can be put back. */
export async function watchTree(options: TreeWatchOptions): Promise<TreeWatch> {
  const {
    root,
    leaveOut,
    vault,
    allowed,
    held = [],
    made = [],
    isFenced = false,
    limits = copyLimits,
    evidence,
  } = options;
  const isBound = allowed !== undefined;
  const before = snapshot(root, { leaveOut, installed: isBound, namesakes: isBound });
  const match = await loadGlobMatch();
  const rules = { allowed: allowed ?? [], made, isFenced, match, limits, blobs: () => indexedBlobs(root) };
  const copyOf = allowed ? await placeCopies(before, rules) : undefined;
  const left = [...ownFolders(root).map(literally), ...neverKept, ...leaveOut, ...(allowed ?? [])];
  const all = copyOf ? [keptOf(vault, ['**'], { leaveOut: left, copyOf, isLenient: true, isMany: true })] : [];
  const copies = [...all, ...(held.length > 0 ? [keptOf(vault, held, {})] : [])];
  const odd = new Set(copies.flatMap(oddFiles));
  return {
    kept: copies.map(({ digest }) => digest),
    changed() {
      const found = copies.map((kept) => vault.changes(kept));
      const stuck = all.length > 0 ? clearCaches(root, found[0]!) : [];
      const really = new Set(found.flat().map(({ path }) => seenAs(path)));
      // What has been put back has other stamps, and is as it was.
      const isKept = (path: string): boolean =>
        odd.has(path) || copies.some((kept) => kept.entries.get(path)?.type === 'file');
      const changed = changedSince(before, root).map(({ path }) => path);
      return [...changed.filter((path) => !isKept(path) || really.has(path)), ...stuck];
    },
    putBack: (files) =>
      copies.length > 0 ? putBack(files, { copies, vault, root, evidence: placeOf(evidence) }) : undefined,
  };
}

const placeOf = (evidence: TreeWatchOptions['evidence']): string =>
  typeof evidence === 'string' ? evidence : evidence();

/** Wherever it is in the tree. */
const neverKept = ['.ipynb_checkpoints', '**/.ipynb_checkpoints'];

function keptOf(vault: Vault, patterns: readonly string[], options: Parameters<Vault['keep']>[1]): Kept {
  try {
    return vault.keep(patterns, options);
  } catch (error) {
    throw new FailureError({ code: 'cannot-protect', detail: (error as Error).message });
  }
}

/** A name that is no text, as a snapshot calls it. */
const seenAs = (path: string): string =>
  path.replace(/[\udc80-\udcff]/g, (char) => `%${(char.charCodeAt(0) - 0xdc00).toString(16)}`);

/** Files whose names are no text, as a snapshot calls them. */
const oddFiles = ({ entries }: Kept): readonly string[] =>
  [...entries].flatMap(([path, { type }]) => (type === 'file' && seenAs(path) !== path ? [seenAs(path)] : []));

export interface PutBackMeans {
  readonly copies: readonly Kept[];
  readonly vault: Vault;
  readonly root: string;
  /** Absolute. */
  readonly evidence: string;
}

/** Only these files, and the folders that are in the way: what others changed meanwhile is theirs. */
export function putBack(files: readonly string[], means: PutBackMeans): PutBackFiles {
  const { copies, vault, root, evidence: parent } = means;
  const meant = (path: string): boolean =>
    files.some((file) => file === path || file.startsWith(`${path}/`) || path.startsWith(`${file}/`));
  const found = copies.map((kept) => vault.changes(kept).filter(({ path }) => meant(seenAs(path))));
  const known = found.flat().map(({ path }) => seenAs(path));
  const missed = files.filter((file) => !known.some((path) => path === file || file.startsWith(`${path}/`)));
  const evidence = newFolder(parent, root);
  writePlain(join(evidence, 'changes.diff'), copies.map((kept, at) => vault.diffText(kept, found[at]!)).join(''));
  const problems = copies.flatMap(
    (kept, at) => vault.putBack(kept, found[at]!, { evidence: join(evidence, at === 0 ? 'files' : 'held') }).problems,
  );
  const oddly = found.flat().flatMap(({ path }) => (files.includes(seenAs(path)) ? [printable(path)] : []));
  const meantNames = [...files, ...oddly];
  // What it looks at afterwards is everything; what is not meant was changed by somebody who may.
  return {
    evidence,
    problems: [
      ...problems.filter((problem) => meantNames.some((name) => problem.includes(name))),
      ...missed.map((file) => `${file}: there is no copy of it`),
    ],
  };
}
