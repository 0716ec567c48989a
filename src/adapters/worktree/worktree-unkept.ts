import { isUtf8 } from 'node:buffer';
import { chmodSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TakenAway } from '../../model/files/isolation.js';
import { asCheckedOut } from '../git/as-checked-out.js';
import type { Repository } from '../git/git-repository.js';
import { asBytes, awayOf, bytesOf, moveEntry, namesIn, putBackAway } from './worktree-away.js';
import { tipOf } from './worktree-commit.js';
import { changesIn, choose, trackedIn, withFreshIndex } from './worktree-files.js';
import { readyTree } from './worktree-place.js';
import { refuseUnkeepable } from './worktree-unkeepable.js';

export interface UnkeptRequest {
  readonly path: string;
  /** What may go into a commit. Paths are relative to the top of the repository. */
  readonly allow: (file: string) => boolean;
  /** Files that stay though no commit has them: what was lent, and outputs, which are copied to the project. */
  readonly stays: readonly string[];
  /** What others look after: that was there before, or is found by them. */
  readonly isWatched: (file: string) => boolean;
  readonly isProtected: (file: string) => boolean;
  /** Absolute: where what was written goes, where a checkout would give something else. */
  readonly keep: string;
}

/**
 * Makes a worktree what a checkout of its next commit would be, so that whatever is run in it then has seen what the branch gets: ignored files,
 * empty folders, repositories inside and pipes wait elsewhere, modes and contents are what git makes of them. Tells what was not as it will be.
 */
export async function takeAwayUnkept(repo: Repository, dir: string, request: UnkeptRequest): Promise<TakenAway> {
  const { path, allow } = request;
  putBackAway(repo, dir, path);
  const tree = readyTree(repo, path);
  const git = await repo.git({ gitDir: tree.gitDir, workTree: path });
  return withFreshIndex(git, await tipOf(git, tree.branch), async (fresh) => {
    const tracked = await trackedIn(fresh);
    const { take } = choose(await changesIn(fresh), allow);
    const named = (isGone: boolean): string[] =>
      take.filter(({ how }) => (how === 'removed') === isGone).map(({ name }) => name.toString('latin1'));
    const gone = new Set(named(true));
    const kept = [...tracked.filter((file) => !gone.has(file)), ...named(false)];
    refuseUnkeepable({ path, dir, take, kept: new Set(kept) });
    const without = new Unkept(request, awayOf(dir, path), kept).takeAway();
    // It goes with the worktree, should nobody come back for it.
    const scratch = join(tree.gitDir, 'autoresearch-checked-out');
    const places = { scratch, keep: () => request.keep };
    return { without, otherwise: await asCheckedOut({ repo, fresh, changes: take, ...places, mayWrite: allow }) };
  });
}

/** One look at one worktree. Paths are spelt in bytes here. */
class Unkept {
  readonly #top: string;
  readonly #away: string;
  readonly #request: UnkeptRequest;
  readonly #files: ReadonlySet<string>;
  readonly #stays: ReadonlySet<string>;
  readonly #folders = new Set<string>();
  readonly #found: string[] = [];

  constructor(request: UnkeptRequest, away: string, kept: readonly string[]) {
    this.#request = request;
    this.#top = asBytes(request.path);
    this.#away = asBytes(away);
    this.#files = new Set(kept);
    this.#stays = new Set(request.stays.map(asBytes));
    for (const file of [...this.#files, ...this.#stays]) {
      for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
        const folder = file.slice(0, end);
        if (this.#folders.has(folder)) break;
        this.#folders.add(folder);
      }
    }
  }

  takeAway(): readonly string[] {
    this.#visit('');
    return this.#found.sort();
  }

  #visit(folder: string): void {
    for (const name of readable(this.#at(folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (path === '.git') continue;
      const stats = lstatSync(bytesOf(this.#at(path)), { throwIfNoEntry: false });
      if (!stats) continue;
      if (stats.isDirectory() && this.#hasKept(path)) {
        this.#setMode(path, stats);
        this.#visit(path);
      } else if (stats.isDirectory()) this.#unkeptFolder(path);
      else if (this.#files.has(path)) this.#setMode(path, stats);
      else if (!this.#stays.has(path) && !this.#isWatched(path)) this.#move(path);
    }
  }

  /** Whether something is in it, or was put in the place of something that is to stay. */
  #hasKept(path: string): boolean {
    return this.#folders.has(path) || this.#files.has(path) || this.#stays.has(path);
  }

  #unkeptFolder(path: string): void {
    const watched = this.#watchedIn(path);
    if (watched === 'none') this.#move(`${path}/`);
    else if (watched === 'some') this.#visit(path);
  }

  /** Whether files below are looked after by others: an empty folder is by nobody. */
  #watchedIn(path: string): 'none' | 'some' {
    for (const name of readable(this.#at(path))) {
      const inner = `${path}/${name}`;
      const isFolder = lstatSync(bytesOf(this.#at(inner)), { throwIfNoEntry: false })?.isDirectory();
      if (isFolder ? this.#watchedIn(inner) === 'some' : this.#isWatched(inner)) return 'some';
    }
    return 'none';
  }

  #isWatched(path: string): boolean {
    const bytes = bytesOf(path);
    return isUtf8(bytes) && this.#request.isWatched(bytes.toString());
  }

  #move(named: string): void {
    const path = named.replace(/\/$/, '');
    mkdirSync(bytesOf(dirname(`${this.#away}/${path}`)), { recursive: true, mode: 0o700 });
    moveEntry(this.#at(path), `${this.#away}/${path}`);
    this.#found.push(bytesOf(named).toString());
  }

  /** Only whether it can be executed is kept. What its task may not change has a watch of its own, which has to see it. */
  #setMode(path: string, stats: Stats): void {
    if (stats.isSymbolicLink() || this.#stays.has(path)) return;
    const isFolder = stats.isDirectory();
    const isOpen = isFolder || (stats.mode & 0o100) !== 0;
    // A folder may hand its group on to what is made in it.
    const given = stats.mode & (isFolder ? 0o5777 : 0o7777);
    const wanted = (isOpen ? 0o777 : 0o666) & ~process.umask();
    if (given === wanted || !this.#mayChange(path, isFolder)) return;
    chmodSync(bytesOf(this.#at(path)), wanted | (isFolder ? stats.mode & 0o2000 : 0));
    this.#found.push(`${bytesOf(path).toString()} (mode ${given.toString(8)})`);
  }

  #mayChange(path: string, isFolder: boolean): boolean {
    const { allow, isProtected } = this.#request;
    if (!isFolder) return allow(bytesOf(path).toString());
    const inside = [...this.#files, ...this.#stays].filter((file) => file.startsWith(`${path}/`));
    return !inside.some((file) => isProtected(bytesOf(file).toString()));
  }

  #at = (path: string): string => (path === '' ? this.#top : `${this.#top}/${path}`);
}

/** What nobody can look into is either moved as it is, or for those to find who watch it. */
function readable(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return [];
    throw error;
  }
}
