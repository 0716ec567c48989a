import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import { contentOf, copyInto } from '../disk/lent-files.js';
import { stage } from '../worktree/worktree-commit.js';
import { fileNames, type TreeChange } from '../worktree/worktree-files.js';
import { filteredFiles, filterFix, filterWords } from './filtered-files.js';
import { GitProblem } from './git-problem.js';
import type { Repository } from './git-repository.js';
import type { Git } from './git-run.js';
import { soundContents } from './sound-commit.js';
import { isAttributes } from './stray-attributes.js';

export interface CheckedOutRequest {
  readonly repo: Repository;
  /** Bound to the folder, with an index of ours that holds what the changes are relative to. */
  readonly fresh: Git;
  readonly changes: readonly TreeChange[];
  /** Absolute: a folder that is made for this, and goes when it is done. What a killed runner left there goes, too. */
  readonly scratch: string;
  /** Absolute: where what stood in the folder is kept. Asked for when there is something. */
  keep(): string;
  mayWrite(file: string): boolean;
}

/**
 * Makes files of a folder what a checkout of their commit would give: `.gitattributes` and git's settings change bytes and modes on the way
 * in and out, so what lies in the folder may be what nobody will ever have again. They are really checked out, into an empty
 * folder, where nothing but the index says what git goes by. Answers with those that were not so.
 */
export async function asCheckedOut(request: CheckedOutRequest): Promise<readonly string[]> {
  const { fresh, changes, scratch } = request;
  if (changes.length === 0) return [];
  await orCannotKeep(() => stage(fresh, changes));
  const there = changes.filter(({ how }) => how !== 'removed').map(({ path }) => path);
  // Where the rules themselves have changed, they are others for every file.
  const files = changes.some(({ path }) => isAttributes(path))
    ? fileNames((await fresh.run(['ls-files', '-z'])).stdout)
    : there;
  if (files.length === 0) return [];
  const [filtered, ...others] = await filteredFiles(fresh, await request.repo.filters(), files);
  if (filtered)
    throw cannotKeep(
      [filtered, ...others].map(({ file }) => file),
      filterWords(filtered.filter),
      filterFix(filtered.filter),
    );
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  try {
    await checkOut(files, request);
    const top = fresh.place.cwd;
    const differing = files.filter((file) => contentOf(join(top, file)) !== contentOf(join(scratch, file)));
    if (differing.length > 0) await takeOver(differing, request);
    return differing;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function takeOver(files: readonly string[], request: CheckedOutRequest): Promise<void> {
  const { fresh, scratch, mayWrite } = request;
  const lost = files.filter((file) => contentOf(join(scratch, file)) === undefined);
  if (lost.length > 0) throw cannotKeep(lost, 'git would not give it back under this name', 'give it another name');
  const foreign = files.filter((file) => !mayWrite(file));
  if (foreign.length > 0) throw cannotKeep(foreign, ofOthers, 'leave its attributes as they were');
  const before = await idsIn(fresh, files);
  // It may be no setting that gives something else.
  await soundContents(fresh, before);
  const keep = request.keep();
  mkdirSync(keep, { recursive: true });
  for (const file of files) {
    copyInto(fresh.place.cwd, keep, file);
    exchange(join(fresh.place.cwd, file), join(scratch, file));
  }
  await stage(
    fresh,
    files.map((file) => ({ name: Buffer.from(file), path: file, how: 'changed' })),
  );
  const after = await idsIn(fresh, files);
  const restless = files.filter((file) => before.get(file) !== after.get(file));
  if (restless.length > 0) throw cannotKeep(restless, 'git makes something else of it each time', 'let it be -text');
}

/** At once: whoever is killed leaves the one or the other. Never through a hard link, which may lead anywhere. */
function exchange(file: string, by: string): void {
  const draft = join(dirname(file), `.${randomBytes(6).toString('hex')}`);
  try {
    if (lstatSync(by).isSymbolicLink()) symlinkSync(readlinkSync(by), draft);
    else copyFileSync(by, draft, constants.COPYFILE_EXCL);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Content that git refuses to take in is nothing that a commit could hold; whoever wrote it can write it otherwise. */
export async function orCannotKeep<Value>(act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    const said = error instanceof GitProblem ? refusals.exec(error.what) : null;
    if (!said) throw error;
    const file = said[1] ?? said[2] ?? said[3] ?? '';
    const fix = 'write it with the encoding and the line ends that .gitattributes and the settings of git ask for';
    throw cannotKeep([file], `git cannot take it in (${said[0].trim()})`, fix);
  }
}

const refusals =
  /failed to encode '(.+?)' from \S+ to \S+|(?:CRLF|LF) would be replaced by (?:CRLF|LF) in (.+?)(?=;|$)|BOM is \w+ in '(.+?)' if encoded as \S+/;

const ofOthers =
  'a checkout would give other bytes or another mode than what is there, by .gitattributes or a setting of git, and it is not to be changed here';

export const cannotKeep = (files: readonly string[], detail: string, fix: string): FailureError =>
  new FailureError({ code: 'cannot-keep', files, detail, fix });

async function checkOut(files: readonly string[], { repo, fresh, scratch }: CheckedOutRequest): Promise<void> {
  const { gitDir, index } = fresh.place;
  const bare = await repo.git({ gitDir: gitDir!, workTree: scratch });
  // One that cannot be written is missed afterwards.
  const options = { input: `${files.join('\0')}\0`, accept: [0, 1, 128], timeoutMs: 600_000 };
  await bare.withIndex(index!).run(['checkout-index', '-f', '-z', '--stdin'], options);
}

/** The object of each. */
async function idsIn(fresh: Git, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(files);
  const listed = (await fresh.run(['ls-files', '-s', '-z'])).stdout.toString('utf8').split('\0');
  return new Map(
    listed.flatMap((line) => {
      const tab = line.indexOf('\t');
      const file = line.slice(tab + 1);
      return wanted.has(file) ? [[file, line.split(' ')[1]!] as const] : [];
    }),
  );
}
