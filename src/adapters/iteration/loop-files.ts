import { hash } from 'node:crypto';
import { type Dirent, lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, type Stats } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { errorLog } from '../../model/files/error-log-path.js';
import type { LoopFiles } from '../../model/fingerprint.js';
import { globsMayMeet, literally } from '../../model/glob.js';
import type { GlobMatch } from '../../source/glob.js';
import { digestFile } from '../disk/file-digest.js';
import { ownFolders } from '../kept/own-folders.js';
import { ownLogs } from '../kept/own-logs.js';
import { isCachePath } from '../watch/written-caches.js';

export interface LoopRules {
  /** The project folder, real. */
  readonly root: string;
  /** Globs of the project. */
  readonly files: readonly string[];
  readonly protect: readonly string[];
  readonly match: GlobMatch;
}

/** Follows no link, and goes into no repository but our own. Caches are looked after elsewhere. `like` is what it is compared with. */
export function lookAtLoop(rules: LoopRules, like?: LoopFiles): LoopFiles {
  const seen = walk(rules);
  const ours = seen.files.filter(({ path }) => isOurs(rules, path));
  const marks = ours.map(({ path, stats }) => [path, markOf(join(rules.root, path), stats)] as const);
  const isGrouped = like ? like.isGrouped : marks.length > mostNamed;
  return {
    files: Object.fromEntries(isGrouped ? byFolder(marks) : marks),
    ...(isGrouped ? { isGrouped } : {}),
    folders: seen.empty.filter((folder) => isOurFolder(rules, folder)).sort(),
  };
}

export interface Unkept {
  /** Folders with nothing in them. */
  readonly folders: readonly string[];
  /** What makes a folder a repository of its own: `src/.git`. */
  readonly repositories: readonly string[];
}

/** What stands among the files of a loop and is in no commit. */
export function lookAtUnkept(rules: LoopRules): Unkept {
  const { empty, repositories } = walk(rules);
  return {
    folders: empty.filter((folder) => isOurFolder(rules, folder)).sort(),
    repositories: repositories.filter((path) => isOurFolder(rules, dirname(path))).sort(),
  };
}

/**
 * Makes the empty folders among the files of a loop these and no others, once its files are what they are to be: git keeps none.
 * Never through a link, which may lead anywhere. Again after a crash it does what is left to do.
 */
export function settleFolders(rules: LoopRules, wanted: readonly string[]): void {
  const { root } = rules;
  const staying = new Set(wanted);
  for (const empty of lookAtUnkept(rules).folders) {
    for (let at = empty; at !== '.' && !staying.has(at) && isOurFolder(rules, at); at = dirname(at)) {
      if (readdirSync(join(root, at)).length > 0) break;
      rmdirSync(join(root, at));
    }
  }
  foldersBack(rules, wanted);
}

/** Those that are missing are there again. */
export function foldersBack({ root }: LoopRules, wanted: readonly string[]): void {
  for (const folder of wanted) makeAgain(root, folder);
}

function makeAgain(root: string, folder: string): void {
  const parent = dirname(folder);
  if (parent !== '.') makeAgain(root, parent);
  const isFolder = (path: string): boolean =>
    lstatSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder(parent) && !lstatSync(join(root, folder), { throwIfNoEntry: false })) mkdirSync(join(root, folder));
}

const isOurs = ({ files, protect, match }: LoopRules, path: string): boolean =>
  path !== errorLog && files.some((one) => match(one, path)) && !protect.some((one) => match(one, path));

/** What lies in it could be a file of the loop. */
const isOurFolder = ({ files, protect, match }: LoopRules, folder: string): boolean =>
  files.some((one) => globsMayMeet(one, `${literally(folder)}/**`)) && !protect.some((one) => match(one, folder));

interface Walked {
  readonly files: readonly { readonly path: string; readonly stats: Stats }[];
  readonly empty: readonly string[];
  readonly repositories: readonly string[];
}

function walk({ root }: LoopRules): Walked {
  const own = new Set([...ownFolders(root), ...ownLogs(root)]);
  const files: { path: string; stats: Stats }[] = [];
  const empty: string[] = [];
  const repositories: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const found = entriesIn(join(root, folder));
    if (!found) continue;
    if (found.length === 0 && folder !== '') empty.push(folder);
    for (const entry of found) {
      const path = posix.join(folder, entry.name);
      if (own.has(path)) continue;
      // Some disks do not tell letters from capitals, and git then finds it all the same.
      if (entry.name.toLowerCase() === '.git') repositories.push(path);
      else if (isCachePath(path, entry.isDirectory())) continue;
      else if (entry.isDirectory()) open.push(path);
      else {
        const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
        if (stats) files.push({ path, stats });
      }
    }
  }
  return { files, empty, repositories };
}

/** One that cannot be read is not empty, for all that is known. */
function entriesIn(folder: string): readonly Dirent[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return undefined;
  }
}

/** Where it leads, what is in it, and whether it can be run: what git keeps of it. Large ones by their stamps, which any writer changes. */
function markOf(file: string, stats: Stats): string {
  try {
    if (stats.isSymbolicLink()) return `link ${readlinkSync(file)}`;
    if (!stats.isFile()) return 'other';
    const runs = (stats.mode & 0o100) === 0 ? '' : ' x';
    if (stats.size > mostRead) return `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.ino}${runs}`;
    return `${digestFile(file).slice(0, 32)}${runs}`;
  } catch {
    return 'unread';
  }
}

/** A line of a journal is not the place for a hundred thousand names. */
function byFolder(marks: readonly (readonly [path: string, mark: string])[]): readonly (readonly [string, string])[] {
  const folders = new Map<string, string[]>();
  for (const [path, mark] of marks) {
    const key = posix.join(dirname(path), '*');
    const known = folders.get(key);
    if (known) known.push(`${path}\0${mark}`);
    else folders.set(key, [`${path}\0${mark}`]);
  }
  return [...folders].map(([key, lines]) => [key, hash('sha256', lines.sort().join('\0')).slice(0, 32)] as const);
}

const mostNamed = 2000;
const mostRead = 16 << 20;
