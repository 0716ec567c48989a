/** A fence whose paths are all real and absolute: no link is left in them, and everything named is there. */
export interface SettledFence {
  /** The project. */
  readonly root: string;
  readonly cwd: string;
  readonly home?: string;
  /** May be written. */
  readonly writable: readonly string[];
  /** In writable folders and not to be written, unless something in them is. */
  readonly beside: readonly string[];
  /** May not be written, whatever stands around them. */
  readonly readOnly: readonly string[];
  /** Folders that look empty. */
  readonly hidden: readonly string[];
  /** In hidden folders and seen all the same: files to read, folders to write. */
  readonly visibleFiles: readonly string[];
  readonly visibleFolders: readonly string[];
  /** To be read though they lie in a folder that is replaced, such as programs below /tmp. */
  readonly seen: readonly string[];
  /** Links in replaced folders over which some path goes. */
  readonly links: readonly Link[];
  /** A folder that is /tmp inside; absent: one in memory. */
  readonly tmp?: string;
}

export interface Link {
  readonly path: string;
  readonly target: string;
}

/**
 * The arguments of bwrap up to the program. Layers lie on top of each other, outer folders first, so the innermost one
 * that holds a path decides about it.
 *
 * Neither `--new-session` nor `--die-with-parent`: a stop goes to the process group, and the program has to be in it to
 * hear it; bwrap itself dies of the signal at once, and the program would be killed with it instead of tidying up. The
 * first process of the new pid namespace stays in the group, so whoever ends the group ends everything.
 */
export function bwrapArgs(fence: SettledFence): readonly string[] {
  const layers = layersOf(fence);
  const links = fence.links.flatMap(({ path, target }) => ['--symlink', target, path]);
  const empty = layers.filter(({ kind }) => kind === 'empty');
  return [
    ...['--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // As root bwrap keeps every capability unless told otherwise.
    ...['--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // bwrap leaves these to root, and core_pattern names a program that the kernel starts outside.
    ...['--ro-bind-try', '/proc/sys', '/proc/sys', '--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger'],
    ...layers.flatMap((layer) => mount(layer, fence.tmp)),
    ...links,
    ...empty.flatMap(({ path }) => ['--remount-ro', path]),
    ...['--chdir', fence.cwd],
  ];
}

/** Folders in which programs outside leave sockets and files for each other. Inside they are new and empty. */
export const replaced: readonly string[] = ['/tmp', '/var/tmp', '/run'];

export type LayerKind = 'read' | 'write' | 'empty' | 'scratch';

export interface Layer {
  readonly path: string;
  readonly kind: LayerKind;
}

/** In the order of mounting, with what keeps the way to a guarded path from being renamed. */
export function layersOf(fence: SettledFence): readonly Layer[] {
  const { root, cwd, home, hidden, visibleFiles, visibleFolders, readOnly, writable, beside, seen } = fence;
  // A worktree lies in the state folder; whoever works in it sees nothing else of that.
  const shown = [...visibleFiles, ...visibleFolders, ...(isIn(root, hidden) ? [root] : [])];
  const concealed = (path: string): boolean => isIn(path, hidden) && !isIn(path, shown);
  const layers = new Map<string, LayerKind>();
  // A later one takes the place of an earlier one at the same path.
  const put = (paths: readonly string[], kind: LayerKind): void => {
    for (const path of paths) if (path !== '/') layers.set(path, kind);
  };
  const always = [root, cwd, ...(home === undefined ? [] : [home]), ...seen, ...beside];
  put(
    always.filter((path) => !concealed(path)),
    'read',
  );
  put(replaced, 'scratch');
  put(
    writable.filter((path) => !isIn(path, readOnly) && !concealed(path)),
    'write',
  );
  put(visibleFolders, 'write');
  put(visibleFiles, 'read');
  put(
    readOnly.filter((path) => !concealed(path)),
    'read',
  );
  put(
    hidden.filter((path) => !shown.includes(path)),
    'empty',
  );
  for (const path of pins(layers)) layers.set(path, 'write');
  return [...layers].map(([path, kind]) => ({ path, kind })).sort((a, b) => depth(a.path) - depth(b.path));
}

/** What may be done at a path: what the innermost layer around it says. */
export function kindAt(layers: readonly Layer[], path: string): LayerKind {
  return layers.findLast((layer) => isBelow(path, layer.path))?.kind ?? 'read';
}

/**
 * A mount point cannot be renamed, but the folder around it can, and then another may be put in its place. So each folder
 * between a writable one and something guarded in it becomes a mount point too.
 */
function pins(layers: ReadonlyMap<string, LayerKind>): readonly string[] {
  const found: string[] = [];
  for (const [path, kind] of layers) {
    if (kind !== 'read' && kind !== 'empty') continue;
    const way: string[] = [];
    let folder = parentOf(path);
    while (folder !== '/' && !layers.has(folder)) {
      way.push(folder);
      folder = parentOf(folder);
    }
    if (layers.get(folder) === 'write') found.push(...way);
  }
  return found;
}

function mount({ path, kind }: Layer, tmp: string | undefined): readonly string[] {
  if (kind === 'read') return ['--ro-bind', path, path];
  if (kind === 'write') return ['--bind', path, path];
  return kind === 'scratch' && path === '/tmp' && tmp !== undefined ? ['--bind', tmp, path] : ['--tmpfs', path];
}

export const isBelow = (path: string, folder: string): boolean =>
  path === folder || folder === '/' || path.startsWith(`${folder}/`);

const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isBelow(path, folder));
const depth = (path: string): number => path.split('/').length;
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
