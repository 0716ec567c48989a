import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { readPlainBytes } from '../disk/plain-file.js';

export interface CommitRead {
  readonly tree: string;
  readonly parents: readonly string[];
}

/** A commit that lies in a file of its own, compared with its name as git does. Undefined: only git can tell whether there is one. */
export function readLooseCommit(commonDir: string, id: string): CommitRead | undefined {
  const bytes = readPlainBytes(join(commonDir, 'objects', id.slice(0, 2), id.slice(2)), mostBytes);
  if (bytes === undefined) return undefined;
  try {
    return commitIn(inflateSync(bytes, { maxOutputLength: mostBytes }), id);
  } catch {
    return undefined;
  }
}

/** What `git cat-file commit` printed; undefined when that is not the commit of this name, but one that it leads to. */
export const commitSaid = (said: Buffer, id: string): CommitRead | undefined =>
  commitIn(Buffer.concat([Buffer.from(`commit ${said.length}\0`), said]), id);

function commitIn(object: Buffer, id: string): CommitRead | undefined {
  if (hash('sha1', object) !== id) return undefined;
  const [, length, tree, parents = ''] = format.exec(object.toString('latin1')) ?? [];
  if (tree === undefined || Number(length) !== object.length - object.indexOf(0) - 1) return undefined;
  return { tree, parents: parents.match(/[0-9a-f]{40}/g) ?? [] };
}

const format = /^commit (\d+)\0tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author /;

const mostBytes = 1 << 20;

/** Commits that git read from packs. They count while none of the packs was touched: what is in one never changes, but it can be taken away. */
export class PackedCommits {
  readonly #known = new Map<string, { readonly commit: CommitRead; readonly stamp: string }>();

  of(commonDir: string, id: string): CommitRead | undefined {
    const known = this.#known.get(id);
    return known && known.stamp === stampOf(commonDir) ? known.commit : undefined;
  }

  /** `stamp`: from before git was asked. */
  keep(id: string, commit: CommitRead, stamp: string | undefined): void {
    if (stamp === undefined) return;
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(id, { commit, stamp });
  }

  stamp = (commonDir: string): string | undefined => stampOf(commonDir);
}

const mostKnown = 1000;

/** Undefined where objects may also come from elsewhere, and where something was written so lately that another change might leave the same stamp. */
function stampOf(commonDir: string): string | undefined {
  try {
    if (lstatSync(join(commonDir, 'objects/info/alternates'), { throwIfNoEntry: false })) return undefined;
    const folder = join(commonDir, 'objects/pack');
    const names = readdirSync(folder);
    if (names.length > mostFiles) return undefined;
    const stats = ['.', ...names].map((name) => lstatSync(join(folder, name), { bigint: true }));
    const isFresh = stats.some(({ ctimeNs }) => Number(ctimeNs / 1_000_000n) > Date.now() - 1000);
    return isFresh
      ? undefined
      : stats.map(({ ino, size, mtimeNs, ctimeNs }) => [ino, size, mtimeNs, ctimeNs].join()).join(' ');
  } catch {
    return undefined;
  }
}

const mostFiles = 300;
