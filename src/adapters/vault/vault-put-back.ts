import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  futimesSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { copyBlob } from '../git/git-blob.js';
import type { VaultChange } from './vault-compare.js';
import { evidenceFolder, moveAway } from './vault-evidence.js';
import { readPlainFile } from './vault-file.js';
import { type Kept, type KeptEntry, modeOf } from './vault-kept.js';
import { type EntryType, inRoot, typeOf } from './vault-look.js';
import { ancestorsOf, diskName, parentOf, printable } from './vault-path.js';
import { isGuarded, type VaultRules } from './vault-rules.js';
import type { VaultStore } from './vault-store.js';

export interface PutBack {
  /** Paths below the root that are again as they were kept. */
  readonly restored: readonly string[];
  /** Where the things that stood there are now: absolute. */
  readonly evidence: readonly string[];
  /** What is still wrong, in words. Anything here means that the protected part cannot be relied on. */
  readonly problems: readonly string[];
}

interface Means {
  readonly store: VaultStore;
  readonly rules: VaultRules;
  readonly evidence: string;
  /** Everything that differs now, by digest. */
  look(): readonly VaultChange[];
}

/** A folder that was shut shows what is wrong in it only once it is open, and there may be one in it. */
const mostRounds = 8;

export function putBack(kept: Kept, changes: readonly VaultChange[], means: Means): PutBack {
  let work: Restoration;
  try {
    work = new Restoration(kept, means);
  } catch (error) {
    // Whoever could make the evidence homeless must not be able to stop the runner with it.
    return { restored: [], evidence: [], problems: [(error as Error).message] };
  }
  const asked = changes.map(({ path }) => path);
  const isAsked = (path: string): boolean => asked.some((one) => path === one || path.startsWith(`${one}/`));
  let [wrong, before] = [changes, ''];
  for (let round = 0; round < mostRounds && wrong.length > 0; round += 1) {
    work.restore(wrong);
    const left = means.look();
    wrong = left.filter(({ path }) => isAsked(path));
    if (JSON.stringify(wrong) === before) break;
    before = JSON.stringify(wrong);
  }
  const left = means.look();
  const isLeft = new Set(left.map(({ path }) => path));
  const still = left.map(({ path, how }) => `${printable(path)} is still not as it was (${how})`);
  return {
    restored: [...new Set(asked)].filter((path) => !isLeft.has(path)).sort(),
    evidence: work.evidence,
    problems: [...new Set([...work.problems.values()].filter(({ path }) => isLeft.has(path)).map(said)), ...still],
  };
}

const draftName = '.vault-draft.';

/** A file that somebody was putting back. */
export const isDraft = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith(draftName);

interface Problem {
  readonly path: string;
  readonly reason: string;
}

const said = ({ path, reason }: Problem): string => `${printable(path)}: ${reason}`;

/** From the root downwards, so that nothing is ever written through a link. */
class Restoration {
  readonly problems = new Map<string, Problem>();
  readonly evidence: string[] = [];
  private readonly folder: string;
  /** Folders that were opened or made, and the mode that each has to have in the end. */
  private readonly opened = new Map<string, number>();

  constructor(
    private readonly kept: Kept,
    private readonly means: Means,
  ) {
    this.folder = evidenceFolder(means.evidence, kept.root, means.rules);
  }

  restore(changes: readonly VaultChange[]): void {
    for (const path of changes.map((change) => change.path).sort()) {
      try {
        if (this.openWayTo(path)) this.restoreEntry(path);
      } catch (error) {
        this.problems.set(path, { path, reason: (error as Error).message });
      }
    }
    this.closeFolders();
  }

  /** Makes every folder above a path a folder that can be written to. False when the path cannot exist. */
  private openWayTo(path: string): boolean {
    if (this.typeAt('.') !== 'folder') throw new Error('the root of the project is no folder any more');
    for (const above of ['.', ...ancestorsOf(path)]) {
      if (this.typeAt(above) !== 'folder') {
        if (this.kept.entries.get(above)?.type !== 'folder') return false;
        this.setAside(above);
        mkdirSync(this.at(above), { mode: 0o700 });
        this.opened.set(above, this.kept.entries.get(above)!.mode);
      }
      this.open(above);
    }
    return true;
  }

  private restoreEntry(path: string): void {
    const old = this.kept.entries.get(path);
    if (!old || old.type === 'absent') {
      // A folder that merely leads somewhere is not ours to move.
      if (isGuarded(this.means.rules, path) || this.typeAt(path) === 'link') this.setAside(path);
      else throw new Error('it cannot be looked into');
      // A link that nobody guards, and that led elsewhere.
      const target = this.kept.links?.get(path);
      if (target !== undefined) symlinkSync(diskName(target), this.at(path));
    } else if (old.type === 'folder') this.restoreFolder(path, old);
    else if (old.type === 'file') this.restoreFile(path, old);
    else if (old.type === 'link') this.restoreLink(path, old);
    else if (this.typeAt(path) === old.type) chmodSync(this.at(path), old.mode);
    else throw new Error(`a ${old.type} cannot be made again`);
  }

  private restoreFolder(path: string, old: KeptEntry): void {
    if (this.typeAt(path) !== 'folder') {
      if (path === '.') throw new Error('the root of the project is no folder any more');
      this.setAside(path);
      mkdirSync(this.at(path), { mode: 0o700 });
      own(old, (uid, gid) => lchownSync(this.at(path), uid, gid));
    }
    this.open(path);
    this.opened.set(path, old.mode);
  }

  private restoreFile(path: string, old: KeptEntry): void {
    if (old.isUncopied) {
      this.setAside(path);
      throw new Error('there was no copy of it, so it is gone, and so is what was made of it');
    }
    if (this.isOnlyMode(path, old)) {
      chmodSync(this.at(path), old.mode);
      return;
    }
    const draft = diskName(`${this.kept.root}/${parentOf(path)}/${draftName}${process.pid}`);
    rmSync(draft, { recursive: true, force: true });
    const fd = openSync(draft, 'wx', 0o600);
    try {
      if (!this.copyTo(old, draft, fd)) {
        this.setAside(path);
        throw new Error(`its copy in ${old.blob ? 'git' : 'the vault'} is gone or was tampered with`);
      }
      own(old, (uid, gid) => fchownSync(fd, uid, gid));
      fchmodSync(fd, old.mode);
      futimesSync(fd, secondsOf(old), secondsOf(old));
      this.setAside(path);
      renameSync(draft, this.at(path));
    } finally {
      closeSync(fd);
      rmSync(draft, { force: true });
    }
  }

  private copyTo({ digest, blob }: KeptEntry, draft: string | Buffer, fd: number): boolean {
    if (blob === undefined) return this.means.store.copyTo(digest!, fd);
    return copyBlob(this.kept.root, blob, fd) && readPlainFile(draft).digest === digest;
  }

  /** A file with a second name is made anew, because the mode belongs to both. */
  private isOnlyMode(path: string, old: KeptEntry): boolean {
    const stats = lstatSync(this.at(path), { bigint: true, throwIfNoEntry: false });
    if (!stats?.isFile() || stats.nlink > 1n || stats.size !== BigInt(old.size)) return false;
    if ((modeOf(stats) & 0o400) === 0) chmodSync(this.at(path), modeOf(stats) | 0o400);
    return readPlainFile(this.at(path)).digest === old.digest;
  }

  private restoreLink(path: string, old: KeptEntry): void {
    this.setAside(path);
    symlinkSync(diskName(old.target!), this.at(path));
    own(old, (uid, gid) => lchownSync(this.at(path), uid, gid));
    lutimesSync(this.at(path), secondsOf(old), secondsOf(old));
  }

  private setAside(path: string): void {
    const to = moveAway(path, this.kept.root, this.folder);
    if (to !== undefined) this.evidence.push(to);
    this.opened.delete(path);
  }

  private open(folder: string): void {
    const mode = modeOf(lstatSync(this.at(folder), { bigint: true }));
    if (!this.opened.has(folder)) this.opened.set(folder, this.kept.entries.get(folder)?.mode ?? mode);
    if ((mode & 0o700) !== 0o700) chmodSync(this.at(folder), mode | 0o700);
  }

  /** The deepest first, because a closed one lets nobody through. */
  private closeFolders(): void {
    for (const [folder, mode] of [...this.opened].sort(([a], [b]) =>
      a === '.' ? 1 : b === '.' ? -1 : a < b ? 1 : -1,
    )) {
      try {
        const old = this.kept.entries.get(folder);
        if (this.typeAt(folder) !== 'folder') continue;
        if (old?.isGuarded) utimesSync(this.at(folder), secondsOf(old), secondsOf(old));
        if (modeOf(lstatSync(this.at(folder), { bigint: true })) !== mode) chmodSync(this.at(folder), mode);
      } catch (error) {
        this.problems.set(folder, { path: folder, reason: (error as Error).message });
      }
    }
    this.opened.clear();
  }

  private at(path: string): string | Buffer {
    return inRoot(this.kept.root, path);
  }

  private typeAt(path: string): EntryType {
    return typeOf(lstatSync(this.at(path), { bigint: true, throwIfNoEntry: false }));
  }
}

const secondsOf = ({ mtimeNs }: KeptEntry): number => Number(mtimeNs) / 1e9;

/** Only root can give a file to somebody else; for everybody else it is theirs already. */
function own({ uid, gid }: KeptEntry, give: (uid: number, gid: number) => void): void {
  if (process.geteuid?.() === 0) give(uid, gid);
}
