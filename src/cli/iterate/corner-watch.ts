import { cpSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '../../adapters/disk/new-folder.js';
import { readPlain, writePlain } from '../../adapters/disk/plain-file.js';
import { cornerChanges, type GitCorners, gitCorners, putBackCorner } from '../../adapters/git/git-corners.js';
import type { Repository } from '../../adapters/git/git-repository.js';
import type { LeftNote, LeftOutside } from '../../adapters/watch/left-outside.js';
import type { OutsideWatch } from '../../adapters/watch/outside-watch.js';
import { errorLog } from '../../model/files/error-log-path.js';
import type { CliContext } from '../context.js';
import { evidencePlace, vaultPlace } from '../run/vault-place.js';

export interface CornerWatchInput {
  /** The project folder, real. */
  readonly root: string;
  readonly repo: Repository;
  readonly context: CliContext;
  /** The run of the iteration, once there is one. */
  run(): string;
  /** The hash of the line that the iteration began with. */
  readonly record: string;
  readonly note: LeftNote;
}

/**
 * Watches the corners of a project that nobody looks into while an iteration runs: what could be kept in `.git` for the next one,
 * and the log of errors, which is only ever added to. What git itself has a use for is put back, and nobody is blamed: an editor may have
 * written it. Between two runners a person may have been there, so then only what is new counts.
 */
export async function cornerWatch({
  root,
  repo,
  context,
  record,
  run,
  note: found,
}: CornerWatchInput): Promise<OutsideWatch> {
  const place = vaultPlace(root, context, { what: 'loop' });
  mkdirSync(place, { recursive: true });
  const note = join(place, `corners-${record.slice(0, 16)}.json`);
  const now = gitCorners(repo.commonDir);
  const known = namesIn(readPlain(note));
  if (!known) writePlain(note, JSON.stringify(Object.keys(now)));
  const before: GitCorners = known ? Object.fromEntries(Object.entries(now).filter(([name]) => known.has(name))) : now;
  const refs = await branchesOf(repo);
  const log = readPlain(join(root, errorLog)) ?? '';
  const tools = { root, repo, before, refs, evidence: () => evidencePlace(root, context, run()) };
  return {
    async end() {
      const left = await settleCorners(tools);
      if ((readPlain(join(root, errorLog)) ?? '').startsWith(log)) return left;
      found.add({ cleared: [], outside: [errorLog] });
      const problem = putBackLog(join(root, errorLog), log);
      return { ...left, outside: [errorLog], problems: [...left.problems, ...problem] };
    },
  };
}

function namesIn(text: string | undefined): ReadonlySet<string> | undefined {
  try {
    const names = text === undefined ? undefined : (JSON.parse(text) as unknown);
    return Array.isArray(names) ? new Set(names as string[]) : undefined;
  } catch {
    return undefined;
  }
}

/** What this iteration added to it is in the journal. */
function putBackLog(file: string, text: string): readonly string[] {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writePlain(file, text);
    return [];
  } catch (error) {
    return [`${errorLog}: ${(error as Error).message}`];
  }
}

interface Branches {
  readonly refs: ReadonlyMap<string, string>;
  /** The one that is checked out, which is looked at by itself. */
  readonly head: string | undefined;
}

/** Those of people, and what is put aside. Tags come with every fetch, so they prove nothing. */
async function branchesOf(repo: Repository): Promise<Branches> {
  const git = await repo.look();
  const form = '--format=%(HEAD) %(refname) %(objectname)';
  const listed = await git.run(['for-each-ref', form, 'refs/heads', 'refs/stash']);
  const lines = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  const all = lines.map((line) => {
    const [ref = '', commit = ''] = line.slice(2).split(' ');
    return { ref, commit, isHead: line.startsWith('*') };
  });
  const others = all.filter(({ ref }) => !ref.startsWith('refs/heads/auto/'));
  return {
    refs: new Map(others.map(({ ref, commit }) => [ref, commit])),
    head: all.find(({ isHead }) => isHead)?.ref,
  };
}

interface CornerTools {
  readonly root: string;
  readonly repo: Repository;
  readonly before: GitCorners;
  readonly refs: Branches;
  evidence(): string;
}

async function settleCorners({ root, repo, before, refs, evidence }: CornerTools): Promise<LeftOutside> {
  const gitDir = repo.commonDir;
  const changed = cornerChanges(before, gitCorners(gitDir));
  const folder = changed.length > 0 ? newFolder(evidence(), root) : undefined;
  const problems = changed.flatMap((path) => {
    keep(join(gitDir, path), join(folder!, 'left', '.git', path));
    return putBackCorner(gitDir, path, before[path]) ?? [];
  });
  const moved = await putBackBranches(repo, refs);
  return {
    cleared: [...changed.map((path) => `.git/${path}`), ...moved],
    outside: [],
    problems: problems.map((problem) => `.git/${problem}`),
    ...(folder === undefined ? {} : { evidence: folder }),
  };
}

function keep(from: string, to: string): void {
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { verbatimSymlinks: true });
}

/** What they led to stays, under a name of ours. */
async function putBackBranches(repo: Repository, before: Branches): Promise<readonly string[]> {
  const now = await branchesOf(repo);
  const names = [...new Set([...before.refs.keys(), ...now.refs.keys()])];
  const isMoved = (ref: string): boolean =>
    before.refs.get(ref) !== now.refs.get(ref) && ref !== before.head && ref !== now.head;
  const moved = names.filter(isMoved).sort();
  if (moved.length === 0) return [];
  const git = await repo.git();
  for (const ref of moved) {
    const [was, is] = [before.refs.get(ref), now.refs.get(ref)];
    const kept = `refs/autoresearch/kept/${ref.slice('refs/'.length)}`;
    if (is !== undefined) await git.run(['update-ref', '--no-deref', `${kept}/${is}`, is]);
    const back = was === undefined ? ['-d', ref, is!] : [ref, was];
    await git.run(['update-ref', '--no-deref', ...back]);
  }
  return moved;
}
