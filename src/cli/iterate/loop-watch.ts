import { realpathSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inProject, told } from '../../adapters/git/checkout-problem.js';
import type { Repository } from '../../adapters/git/git-repository.js';
import { ignoredFiles } from '../../adapters/git/ignored-files.js';
import type { GoneOn } from '../../adapters/watch/hidden-files.js';
import { LeftNote, together } from '../../adapters/watch/left-outside.js';
import { type OutsideWatch, watchOutside } from '../../adapters/watch/outside-watch.js';
import { withFreshIndex } from '../../adapters/worktree/worktree-files.js';
import { FailureError } from '../../model/failure.js';
import { loadGlobMatch } from '../../source/glob.js';
import { ownVault } from '../clean/own-vault.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { studyFiles } from '../project/study-files.js';
import { evidencePlace, vaultPlace } from '../run/vault-place.js';
import { cornerWatch } from './corner-watch.js';
import { loopRepository } from './loop-checkout.js';
import { loopRules } from './loop-rules.js';
import type { MeasuredIn } from './measured.js';
import { isOfLoop, mayWrite, scopesIn } from './own-files.js';

export interface LoopWatchInput {
  /** As it is in this iteration. */
  readonly project: Project;
  readonly context: CliContext;
  /** The run of the iteration, once there is one. */
  run(): string;
  /** The hash of the line that the iteration began with. */
  readonly record: string;
  readonly keep: 'best' | 'all';
  /** Absent when nobody was at it before. */
  readonly goneOn?: GoneOn | undefined;
}

/**
 * Watches what a loop is not about while one of its iterations runs: with `keep: best` all but its files and what its tasks
 * declare, otherwise what says what the study is.
 */
export async function loopWatch(input: LoopWatchInput): Promise<OutsideWatch> {
  const { project, context, record, keep } = input;
  const root = realpathSync(project.resolved.root);
  const of = { what: 'loop' } as const;
  const vault = await ownVault(root, context, of).catch((error: Error) => {
    throw new FailureError({ code: 'cannot-protect', detail: error.message });
  });
  const isBest = keep === 'best';
  const note = noteOf(root, input);
  const repo = isBest ? await loopRepository(root, context) : undefined;
  const corners = repo ? await cornerWatch({ root, repo, context, record, run: input.run, note }) : undefined;
  const tree = await watchOutside({
    root,
    allowed: isBest ? mayWrite(input, { dir: project.iteration!.names.dir }) : ['**'],
    ...(isBest ? { isKept: await isOfLoop(project.plan) } : {}),
    scoped: scopesIn(project.plan),
    held: await studyFiles(project),
    vault,
    evidence: () => evidencePlace(root, context, input.run()),
    list: join(vaultPlace(root, context, of), `before-${record.slice(0, 16)}.json`),
    match: await loadGlobMatch(),
    note,
    goneOn: input.goneOn,
    ignored: repo ? ignoredBy(root, repo) : async () => new Set(),
  });
  return { end: async () => together(together(await tree.end(), await corners?.end()), note.known) };
}

const noteOf = (root: string, { context, record }: Pick<LoopWatchInput, 'context' | 'record'>): LeftNote =>
  new LeftNote(join(vaultPlace(root, context, { what: 'loop' }), `found-${record.slice(0, 16)}.json`));

/** What was found in an iteration that begins anew is not of the one that begins. */
export const forgetFound = (project: Project, of: Pick<LoopWatchInput, 'context' | 'record'>): void =>
  noteOf(realpathSync(project.resolved.root), of).forget();

/** What of a change would be kept. */
export async function keptByLoop(
  project: Project,
  context: CliContext,
): Promise<Pick<MeasuredIn, 'rules' | 'ignored'>> {
  const rules = await loopRules(project);
  if (!rules) return {};
  return { rules, ignored: ignoredBy(rules.root, await loopRepository(rules.root, context)) };
}

function ignoredBy(root: string, repo: Repository): (files: readonly string[]) => Promise<ReadonlySet<string>> {
  const inside = relative(repo.top, root);
  return async (files) => {
    const git = await repo.look();
    const names = files.map((file) => (inside === '' ? file : `${inside}/${file}`));
    // By what is committed: what somebody has only staged (`git add -f`) is in no commit of ours.
    const ignored = await told(() => withFreshIndex(git, 'HEAD', (fresh) => ignoredFiles(fresh, names)));
    return new Set(ignored.flatMap((file) => inProject(file, inside) ?? []));
  };
}

/** Once the iteration is over, nobody needs the copies. */
export const endLoopWatch = (root: string, context: CliContext): void =>
  rmSync(vaultPlace(root, context, { what: 'loop' }), { recursive: true, force: true });
