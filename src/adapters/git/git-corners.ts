import { hash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writePlain } from '../disk/plain-file.js';

/** What lies in a repository's own folder that git did not make for its history: settings, hooks, lists, whatever else. */
export interface GitCorners {
  /** By its path in the folder. */
  readonly [path: string]: CornerFile;
}

export interface CornerFile {
  /** Type, mode and content, as one digest; of what is large, its stamps. */
  readonly digest: string;
  readonly mode: number;
  /** To put it back; absent of what is large. A link is what it leads to. */
  readonly content?: string;
  readonly isLink?: true;
}

/** Reads every such file. Objects, branches, logs of branches and what git notes down while it works are not among them. */
export function gitCorners(gitDir: string): GitCorners {
  const found: Record<string, CornerFile> = {};
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(join(gitDir, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!ofOthers.test(`${path}/`)) folders.push(path);
      } else if (!ofGit.test(path)) {
        const file = cornerFile(join(gitDir, path));
        if (file) found[path] = file;
      }
    }
  }
  return found;
}

/** Worktrees and submodules have folders of their own in there; what large files leave there is not history either, and can be fetched again. */
const ofOthers = /^(?:worktrees|modules|lfs|rr-cache)\//;

const ofGit = new RegExp(
  [
    '^objects/[0-9a-f]{2}/(?:[0-9a-f]{38,62}|tmp_obj_\\w+)$',
    '^objects/pack/(?:\\.?tmp[-_]|pack-|multi-pack-index)[\\w.-]*$',
    '^objects/info/(?:packs|commit-graph|commit-graphs/[\\w.-]+)$',
    '^objects/maintenance\\.lock$',
    '^(?:refs|logs)/',
    '^(?:HEAD|index|packed-refs|shallow|COMMIT_EDITMSG|[A-Z_]+_HEAD|MERGE_(?:MSG|MODE|RR|AUTOSTASH)|AUTO_MERGE|SQUASH_MSG|BISECT_\\w+)$',
    '^(?:gc\\.(?:log|pid)|sharedindex\\.\\w+|fsmonitor--daemon\\S*|info/refs)$',
    '^(?:sequencer|rebase-merge|rebase-apply|fsmonitor--daemon)/',
    '^(?:index|HEAD|packed-refs|config)\\.lock$',
    '^autoresearch(?:\\.lock|-loop/lock|-index-\\d+-[0-9a-f]+)[\\w.-]*$',
  ].join('|'),
);

const mostBytes = 1 << 18;

function cornerFile(path: string): CornerFile | undefined {
  try {
    const stats = lstatSync(path);
    const mode = stats.mode & 0o7777;
    if (stats.isSymbolicLink()) {
      const content = readlinkSync(path);
      return { digest: `link ${content}`, mode, content, isLink: true };
    }
    // Neither opened nor measured: a pipe would be waited for.
    if (!stats.isFile()) return { digest: `other ${stats.mode}`, mode };
    if (stats.size > mostBytes)
      return { digest: `large ${mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`, mode };
    const bytes = readFileSync(path);
    return { digest: `file ${mode} ${hash('sha256', bytes)}`, mode, content: bytes.toString('base64') };
  } catch (error) {
    // Gone meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What is new, changed or gone, sorted. */
export function cornerChanges(before: GitCorners, now: GitCorners): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name]?.digest !== now[name]?.digest).sort();
}

/** Makes one of them what it was. Answers why it could not, if so. */
export function putBackCorner(gitDir: string, path: string, was: CornerFile | undefined): string | undefined {
  const file = join(gitDir, path);
  try {
    if (was && was.content === undefined) return `${path}: there is no copy of it`;
    rmSync(file, { recursive: true, force: true });
    if (!was) return undefined;
    mkdirSync(dirname(file), { recursive: true });
    if (was.isLink) symlinkSync(was.content!, file);
    else {
      writePlain(file, Buffer.from(was.content!, 'base64'));
      chmodSync(file, was.mode);
    }
    return undefined;
  } catch (error) {
    return `${path}: ${(error as Error).message}`;
  }
}
