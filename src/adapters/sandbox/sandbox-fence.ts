import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '../../model/result.js';
import { isBelow, kindAt, type Link, layersOf, replaced, type SettledFence } from './sandbox-args.js';

/** What an agent may do where. All paths are absolute and may go over links. */
export interface Fence {
  /** The project. */
  readonly root: string;
  readonly cwd: string;
  /**
   * Folders and files of the project that may be written; they have to be there. Most programs write a new file and rename
   * it, so the folder around a file has to be open: what else is in it is held, but more can be put there.
   */
  readonly writable: readonly string[];
  /** Protected files and folders, inside writable folders too. Those that are not there cannot be made. */
  readonly readOnly: readonly string[];
  /** Folders that look empty: the state, the vault. */
  readonly hidden: readonly string[];
  /** In hidden folders and seen all the same: files to read, folders to write. */
  readonly visible: readonly string[];
  readonly home?: string;
  /** What may be written in the home folder or wherever else the program keeps its sessions. Missing ones are left out. */
  readonly homeFolders?: readonly string[];
  /** Needed though it may lie below /tmp or /run: programs, folders of the PATH. */
  readonly seen?: readonly string[];
  /** A folder that is /tmp inside; absent: one in memory. */
  readonly tmp?: string;
}

export interface Settled {
  readonly fence: SettledFence;
  /** Guarded paths that are not there, in folders that may be written: an empty folder has to hold their place. */
  readonly absent: readonly string[];
  /** What bwrap cannot hold, in words. Only a look afterwards finds out. */
  readonly unheld: readonly string[];
}

/** Looks where all the paths really lead. What may not be written must not become writable over a link. */
export function settleFence(given: Fence): Result<Settled, string> {
  try {
    return ok(settled(given));
  } catch (error) {
    return err((error as Error).message);
  }
}

function settled(given: Fence): Settled {
  const [root, cwd] = [realpathSync(given.root), realpathSync(given.cwd)];
  if (root === '/' || replaced.includes(root))
    throw new Error(`${root} itself cannot be the project of a fenced agent`);
  const visible = given.visible.map((path) => realpathSync(path));
  const folders = visible.filter(isFolder);
  const homes = (given.homeFolders ?? []).flatMap(realIfThere);
  const { writable, beside } = opened(given.writable.map((path) => inside(path, [root, cwd, ...folders])));
  const home = given.home === undefined ? [] : realIfThere(given.home);
  const [readOnly, hidden] = [given.readOnly, given.hidden].map((paths) => paths.map(whereabouts)) as [
    Place[],
    Place[],
  ];
  for (const path of [...writable, ...homes]) {
    if (path === '/' || replaced.includes(path)) throw new Error(`all of ${path} cannot be made writable`);
    readOnly.push(...gitFiles(path, path === root || path === cwd).map(whereabouts));
  }
  const tmp = given.tmp === undefined ? {} : { tmp: realpathSync(given.tmp) };
  const seen = [...(given.seen ?? []), ...nameServers()].flatMap(realIfThere).filter(isReplaced);
  const named = [given.root, given.cwd, given.home ?? '/', ...given.visible, ...given.writable, ...(given.seen ?? [])];
  const fence: SettledFence = {
    ...{ root, cwd, ...(home[0] === undefined ? {} : { home: home[0] }), writable: [...writable, ...homes], beside },
    ...{ readOnly: present(readOnly), hidden: present(hidden), visibleFolders: folders },
    ...{ visibleFiles: visible.filter((path) => !isFolder(path)), seen, links: linksOn(named), ...tmp },
  };
  return { fence, ...gaps(fence, readOnly, hidden) };
}

function opened(paths: readonly string[]): Pick<SettledFence, 'writable' | 'beside'> {
  const folders = paths.filter(isFolder);
  const files = paths.filter((path) => !isFolder(path) && !folders.some((folder) => isBelow(path, folder)));
  const around = [...new Set(files.map((file) => dirname(file)))];
  const others = around.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return {
    writable: [...folders, ...around],
    // A link cannot be covered; where it leads to is held or not for reasons of its own.
    beside: others.filter((path) => !files.includes(path) && linkOf(path) === undefined),
  };
}

interface Place {
  readonly path: string;
  readonly there: boolean;
  /** Links on the way. */
  readonly links: readonly string[];
}

const present = (places: readonly Place[]): readonly string[] =>
  places.filter(({ there }) => there).map(({ path }) => path);

function gaps(fence: SettledFence, readOnly: readonly Place[], hidden: readonly Place[]): Omit<Settled, 'fence'> {
  const layers = layersOf(fence);
  const loose = (path: string): boolean => kindAt(layers, path) === 'write';
  const missing = [...readOnly, ...hidden].filter(({ path, there }) => !there && loose(path));
  return {
    absent: [...new Set(missing.map(({ path }) => path))],
    unheld: readOnly.flatMap(({ path, there, links }) => [
      ...links.filter((link) => loose(dirname(link))).map((link) => `${link} is a link that can be replaced`),
      ...(there && hasOtherNames(path) ? [`${path} has other names (hard links) that may be writable`] : []),
    ]),
  };
}

/** The real path; of what is not there, below the real path of what is. */
function whereabouts(given: string): Place {
  const path = resolve(given);
  const links =
    linkOf(path) === undefined ? [] : [join(realpathSync(dirname(path)), path.slice(path.lastIndexOf('/')))];
  const real = realIfThere(path)[0];
  if (real !== undefined) return { path: real, there: true, links: [...links, ...linksOver(dirname(path))] };
  const above = whereabouts(dirname(path));
  return { path: join(above.path, path.slice(path.lastIndexOf('/'))), there: false, links: [...links, ...above.links] };
}

function linksOver(path: string): readonly string[] {
  return path === '/' || realpathSync(path) === path ? [] : whereabouts(path).links;
}

function inside(path: string, folders: readonly string[]): string {
  const real = realpathSync(path);
  if (folders.some((folder) => isBelow(real, folder))) return real;
  throw new Error(`${path} may not be made writable: it leads out of the project, to ${real}`);
}

/** Whoever runs git outside runs what stands in these, so where there is no repository yet, none may be made. */
function gitFiles(folder: string, isWorked: boolean): readonly string[] {
  if (!isFolder(folder)) return [];
  const git = join(folder, '.git');
  const stat = lstatSync(git, { throwIfNoEntry: false });
  if (stat === undefined) return isWorked ? [git] : [];
  const isThere = (name: string): boolean => existsSync(join(git, name));
  if (!stat.isDirectory() || !isThere('HEAD')) return [git];
  return ['config', 'hooks', ...['config.worktree'].filter(isThere)].map((name) => join(git, name));
}

function linksOn(paths: readonly string[]): readonly Link[] {
  const found = new Map<string, string>();
  const follow = (path: string): void => {
    if (path === '/') return;
    follow(dirname(path));
    const target = linkOf(path);
    if (target === undefined || found.has(path)) return;
    if (isReplaced(path)) found.set(path, target);
    follow(resolve(dirname(path), target));
  };
  for (const path of paths) follow(resolve(path));
  return [...found].map(([path, target]) => ({ path, target }));
}

const linkOf = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;

/** On many systems the address book of the network is a link to somewhere below /run. */
const nameServers = (): readonly string[] => ['/etc/resolv.conf', '/run/current-system'];

const isReplaced = (path: string): boolean => replaced.some((folder) => path !== folder && isBelow(path, folder));
const isFolder = (path: string): boolean => statSync(path).isDirectory();

function hasOtherNames(path: string): boolean {
  const stat = statSync(path);
  return stat.isFile() && stat.nlink > 1;
}

function realIfThere(path: string): [] | [string] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
