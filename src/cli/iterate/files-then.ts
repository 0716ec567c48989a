import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { inProject } from '../../adapters/git/checkout-problem.js';
import { openRepository } from '../../adapters/git/git-repository.js';
import { type IterationReading, readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { fileNames } from '../../adapters/worktree/worktree-files.js';
import type { IterationEntry } from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import { loadGlobMatch } from '../../source/glob.js';
import { blobDigest } from './loop-evidence.js';
import type { LoopPlace } from './loop-place.js';

/**
 * The files of the loop as the run of an iteration left them, by their path in the project: what was put back since, or
 * changed by a later iteration, is in its commit. Undefined for one that was not there. Empty where the files are still
 * those of this run.
 */
export async function filesThen(
  place: LoopPlace,
  run: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const commit = commitThen(entriesOf(place), run);
  const then = new Map<string, string | undefined>();
  if (commit === undefined) return then;
  const root = realpathSync(place.root);
  const repo = await openRepository(root, { env: place.context.env });
  const git = await repo.look();
  const match = await loadGlobMatch();
  const inside = relative(repo.top, root);
  const listed = await git.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit.at], { accept: [0, 128] });
  const names = new Set([...(listed.code === 0 ? fileNames(listed.stdout) : []), ...commit.files]);
  for (const file of names) {
    const own = inProject(file, inside)?.[0];
    if (own !== undefined && files.some((pattern) => match(pattern, own)))
      then.set(own, await blobDigest(git, commit.at, file));
  }
  return then;
}

/** A record that cannot be believed is told of as a finding of its own. */
function entriesOf({ dir }: LoopPlace): readonly IterationEntry[] {
  let reading: IterationReading | undefined;
  try {
    reading = readIterations(recordFile(dir));
  } catch (error) {
    if (error instanceof FailureError) return [];
    throw error;
  }
  return reading?.entries ?? [];
}

interface Then {
  readonly at: string;
  /** What is different since, and may not be in that commit. */
  readonly files: readonly string[];
}

/** Undefined when nothing came after it that could have changed its files, or when it changed none and has no base. */
function commitThen(entries: readonly IterationEntry[], run: string): Then | undefined {
  let base: string | undefined;
  let isOurs = false;
  let found: string | undefined;
  let isOver = false;
  const files = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'iteration-started') {
      if (isOurs) isOver = true;
      isOurs = false;
      base = entry.base;
    } else if (entry.type === 'iteration-measured') {
      isOurs = entry.run === run;
      if (isOurs) found = base;
    } else if (entry.type === 'iteration-decided' && entry.changes) {
      for (const file of found === undefined ? [] : entry.changes.files) files.add(file);
      if (isOurs) {
        found = entry.changes.commit;
        isOver = entry.changes.target !== entry.changes.commit;
      }
    }
  }
  return found !== undefined && isOver ? { at: found, files: [...files] } : undefined;
}
