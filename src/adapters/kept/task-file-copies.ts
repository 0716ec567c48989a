import { hash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Planning, TaskFile } from '../../model/events/replan-event.js';
import { FailureError } from '../../model/failure.js';
import type { KeptTaskFiles, TaskFileChange } from '../../model/files/task-file-keeper.js';
import type { Files } from '../../model/ports.js';
import { writeDurable } from '../disk/durable-file.js';
import { planningMark } from '../journal/planning-mark.js';

export interface CopyPlaces {
  readonly root: string;
  /** The folder of the run. */
  readonly runDir: string;
  readonly stateDir: string;
  readonly files: Pick<Files, 'expand'>;
}

export function keepTaskFiles(
  patterns: readonly string[],
  folder: string,
  { root, runDir, stateDir, files: all }: CopyPlaces,
): KeptTaskFiles {
  const files = { expand: (wanted: readonly string[]) => all.expand(wanted).filter(isPlan) };
  const kept = files.expand(patterns).flatMap((path): readonly TaskFile[] => {
    const content = contentOf(root, path);
    return content ? [{ path, digest: writeCopy(folder, content) }] : [];
  });
  writeDurable(planningMark(stateDir), `${basename(runDir)}\n`);
  const planning = { files: kept, patterns, copies: relative(runDir, folder) };
  const there = () => [...new Set([...kept.map(({ path }) => path), ...files.expand(patterns)])];
  return {
    ...planning,
    changes: () => there().flatMap((path) => changeOf(root, path, kept)),
    putBack: () => void putBackFiles({ root, runDir, files }, planning),
    settle: () => rmSync(planningMark(stateDir), { force: true }),
  };
}

/** What a task left behind lies beside the plans, and comes there while others work. */
const isPlan = (path: string): boolean => !path.endsWith('-SUMMARY.md');

/** Tells which were not as they had been. What stood there instead goes to the copies, so that nothing is lost. */
export function putBackFiles(
  { root, runDir, files }: Omit<CopyPlaces, 'stateDir'>,
  { files: kept, patterns, copies }: Planning,
): readonly string[] {
  const changed: string[] = [];
  const before = new Map(kept.map(({ path, digest }) => [path, digest]));
  for (const path of new Set([...before.keys(), ...files.expand(patterns).filter(isPlan)])) {
    const digest = before.get(path);
    const now = contentOf(root, path);
    if (digest !== undefined && now && hash('sha256', now) === digest) continue;
    if (now) writeCopy(join(runDir, copies), now);
    const file = insideOf(root, path);
    if (digest === undefined) rmSync(file, { force: true });
    else writeDurable(file, copyOf(join(runDir, copies, digest), digest));
    changed.push(path);
  }
  return changed;
}

function changeOf(root: string, path: string, kept: readonly TaskFile[]): readonly TaskFileChange[] {
  const before = kept.find((one) => one.path === path)?.digest;
  const content = contentOf(root, path);
  const digest = content && hash('sha256', content);
  if (digest !== undefined && digest === before) return [];
  return [
    { path, ...(before === undefined ? {} : { before }), ...(digest === undefined ? {} : { now: { path, digest } }) },
  ];
}

function writeCopy(folder: string, content: Buffer): string {
  const digest = hash('sha256', content);
  writeDurable(join(folder, digest), content);
  return digest;
}

/** A copy that somebody has changed is none. */
function copyOf(file: string, digest: string): Buffer {
  const content = existsSync(file) ? readFileSync(file) : undefined;
  if (content && hash('sha256', content) === digest) return content;
  throw new FailureError({
    code: 'journal-corrupt',
    file,
    line: 1,
    detail: 'the copy of a task file is not the one that the journal tells of',
  });
}

/** Undefined for whatever is no plain file: a link leads elsewhere. */
function contentOf(root: string, path: string): Buffer | undefined {
  const file = resolve(root, path);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : undefined;
}

/** A folder on the way may have become a link that leads out of the project. */
function insideOf(root: string, path: string): string {
  const file = resolve(root, path);
  let folder = dirname(file);
  while (!existsSync(folder)) folder = dirname(folder);
  const inside = relative(realpathSync(root), realpathSync(folder));
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return file;
  throw new FailureError({ code: 'not-writable', file, detail: 'its folder leads out of the project' });
}
