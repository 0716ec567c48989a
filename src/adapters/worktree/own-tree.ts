import { join } from 'node:path';
import type { Failure } from '../../model/failure.js';
import type { OwnTree, Place } from '../../model/files/isolation.js';
import type { Task } from '../../model/plan.js';
import type { TreeRecord } from '../../model/state/tree-record.js';
import { writtenBy } from '../../run/protect/claims.js';
import type { GlobMatch } from '../../source/glob.js';
import { contentOf, copyInto, lendFiles } from '../disk/lent-files.js';
import { failureOf, inProject, told } from '../git/checkout-problem.js';
import { GitProblem } from '../git/git-problem.js';
import { changedSince, snapshot } from '../watch/changed-files.js';
import type { Worktrees } from './worktrees.js';

export interface OwnTreeOf {
  readonly task: Task;
  readonly record: TreeRecord;
  readonly place: Place;
  /** Where the project is inside of the repository. */
  readonly inside: string;
  readonly protect: readonly string[];
}

export interface OwnTreeTools {
  readonly worktrees: Worktrees;
  /** The project folder in the checkout that people work in. */
  readonly root: string;
  readonly match: GlobMatch;
  hide(text: string): string;
  /** A file of the project, relative to the top of the repository. */
  inTop(file: string): string;
}

/** The worktree of one task. */
export function ownTree(own: OwnTreeOf, tools: OwnTreeTools): OwnTree {
  const { record, place, inside } = own;
  const { worktrees, root, inTop, hide } = tools;
  const { path, branch, into, carried } = record;
  const at = place.workspace.root;
  const broken = (): Failure | undefined => {
    try {
      worktrees.check(path);
      return undefined;
    } catch (error) {
      if (error instanceof GitProblem) return failureOf(error);
      throw error;
    }
  };
  const unchanged = (): string[] => Object.keys(carried).filter((file) => contentOf(join(at, file)) === carried[file]);
  return {
    record,
    place,
    watchMain: () =>
      told(async () => {
        const watch = await worktrees.watch();
        const changes = async () => {
          const { files, head } = await watch.changes();
          return { files: files.map((file) => fromProject(file, inside)), ...(head ? { head } : {}) };
        };
        return { changes: () => told(changes) };
      }),
    broken,
    atRest() {
      const before = snapshot(path, { leaveOut: ['.git'], all: true });
      // One that is gone, or something else now, is found by everybody who comes.
      return () => (broken() ? [] : changedSince(before, path).map((change) => fromProject(change.path, inside)));
    },
    commit: ({ message, atMs }, before) =>
      told(async () => {
        const lent = new Set(unchanged().map(inTop));
        const verdict = verdictOn(own, lent, tools);
        const toldOf = <Made extends { readonly refused: readonly string[] }>(made: Made) => {
          const refused = made.refused.filter((file) => !lent.has(file));
          const outside = refused
            .filter((file) => verdict(file) === 'outside')
            .map((file) => fromProject(file, inside));
          return { ...made, refused, outside };
        };
        const made = await worktrees.commit({
          path,
          message: hide(message),
          at: atMs,
          allow: (file) => verdict(file) === 'in',
          before: (about) => before(toldOf(about)),
        });
        return toldOf(made);
      }),
    update: () =>
      told(async () => {
        const lent = unchanged();
        await worktrees.restore(path, lent.map(inTop));
        const updated = await worktrees.update({ path, from: into });
        lendFiles(root, at, lent);
        return updated.kind === 'conflict' ? { conflicts: updated.files } : updated.kind;
      }),
    restore: () =>
      told(async () => {
        const lent = new Set(unchanged().map(inTop));
        const unlike = await worktrees.unlikeCommit(path);
        await worktrees.restore(
          path,
          unlike.filter((file) => !lent.has(file)),
        );
      }),
    merge: ({ message, atMs }, writing) =>
      told(async () => {
        const merged = await worktrees.merge({
          branch,
          into,
          message: hide(`Merge ${message}`),
          at: atMs,
          writing: (files) => writing(files.flatMap((file) => inProject(file, inside) ?? [])),
        });
        if (merged.kind === 'conflict') return { conflicts: merged.files };
        if (merged.kind === 'moved') return 'moved';
        if (merged.kind === 'nothing') return { commit: (await worktrees.state()).head ?? '', files: [] };
        return { commit: merged.commit, files: merged.files };
      }),
    bringBack: (files) =>
      told(async () => {
        const wanted = files.filter((file) => contentOf(join(at, file)) !== contentOf(join(root, file)));
        const untracked = await worktrees.untracked(wanted.map(inTop));
        const back = wanted.filter((file) => untracked.has(inTop(file)));
        if (back.length > 0) worktrees.wrote(back.map(inTop));
        for (const file of back) copyInto(at, root, file);
        return back;
      }),
  };
}

/** What may go into a commit: never what is protected, what only was lent, or what lies outside of the scope. */
export function verdictOn(
  { task, inside, protect }: OwnTreeOf,
  lent: ReadonlySet<string>,
  { match }: OwnTreeTools,
): (file: string) => 'in' | 'kept' | 'outside' {
  const scope = task.scope ? writtenBy(task) : undefined;
  const fits = (patterns: readonly string[], file: string): boolean => patterns.some((pattern) => match(pattern, file));
  return (whole) => {
    const file = inProject(whole, inside)?.[0];
    if (lent.has(whole)) return 'kept';
    if (file === undefined) return scope === undefined ? 'in' : 'outside';
    if (/^\.autoresearch(\/|$)/.test(file) || fits(protect, file)) return 'kept';
    return scope === undefined || fits(scope, file) ? 'in' : 'outside';
  };
}

/** As seen from the project, also where it is deeper in the repository. */
export const fromProject = (file: string, inside: string): string =>
  inProject(file, inside)?.[0] ?? `${'../'.repeat(inside.split('/').length)}${file}`;
