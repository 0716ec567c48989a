import { join, relative } from 'node:path';
import { openWorkspace } from '../../adapters/behaviours/project-workspace.js';
import { readPlain } from '../../adapters/disk/plain-file.js';
import { forgedBy, told } from '../../adapters/git/checkout-problem.js';
import { GitProblem } from '../../adapters/git/git-problem.js';
import {
  foldersBack,
  lookAtLoop,
  lookAtUnkept,
  settleFolders,
  type Unkept,
} from '../../adapters/iteration/loop-files.js';
import { openRunStore } from '../../adapters/journal/run-store.js';
import { decidedRow } from '../../journal/apply-iteration.js';
import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import type {
  CheckoutPlace,
  EditedMeanwhile,
  IterationClosed,
  IterationDecided,
  ToldOf,
} from '../../model/events/iteration-event.js';
import { FailureError } from '../../model/failure.js';
import type { LoopFiles } from '../../model/fingerprint.js';
import type { Iterate } from '../../model/generated/config.js';
import { pointerOf } from '../../model/pointer.js';
import type { OpenIteration, SeriesState } from '../../model/state/iteration-state.js';
import { insightMark, insightSection } from '../../report/iterations/insights-text.js';
import { tableText } from '../../report/iterations/table-text.js';
import { changedFiles } from '../../run/iterate/changed-meanwhile.js';
import { judgeIteration } from '../../run/iterate/judge-iteration.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import { again } from '../again.js';
import { evidencePlace } from '../run/vault-place.js';
import { decideChanges, messageOf, undoChanges } from './decide-changes.js';
import { insightsFile, tableFile } from './iteration-now.js';
import { ownBranch } from './loop-branch.js';
import { type CheckoutInput, lazyCheckout } from './loop-checkout.js';
import { type ClosedTools, closedWords, moveClosed } from './loop-closed.js';
import { loopRules } from './loop-rules.js';
import { keptByLoop } from './loop-watch.js';
import { keptOf, unmeasuredWords } from './measured.js';
import { mayDiffer } from './own-files.js';

/** What becomes of an iteration: decided with what it changed kept safe, told of, and then kept or put back. */
export interface LoopKeeper {
  /** Where an iteration begins, if that matters; or why none can begin. */
  base(state: Pick<SeriesState, 'left'>, isFirst: boolean): Promise<(CheckoutPlace & Unkept) | undefined | Refused>;
  /** Why the open iteration cannot go on where the checkout is now. */
  resumed(open: OpenIteration): Promise<Refused | undefined>;
  /** Why what the open iteration left cannot be committed at all. */
  closed(open: OpenIteration, run: string): Promise<string | undefined>;
  /** Refused where the checkout is no longer where the iteration began. */
  decide(state: SeriesState): Promise<IterationDecided | Refused>;
  close(state: SeriesState): Promise<Pick<IterationClosed, 'left' | 'told'>>;
  /** Empty folders that were taken away so that nothing is measured with them are there again. */
  foldersBack(open: OpenIteration): void;
  /** What the files of the loop are, to be noted when a runner ends; undefined where none are put back. */
  now(): LoopFiles | undefined;
  /** What of them is not known to be of the open iteration, which another runner was at; undefined where there is nothing to say. */
  meanwhile(open: OpenIteration, run: LastSeen): Promise<EditedMeanwhile | undefined>;
  /** Puts back what the open iteration has changed so far: whoever broke the rules begins anew. It is kept safe first. */
  undo(state: SeriesState, run: string): Promise<void>;
}

/** What is known of the run of an iteration whose runner is gone. */
export interface LastSeen {
  readonly isBegun: boolean;
  /** What was last given to who measures. */
  readonly given?: LoopFiles | undefined;
}

export interface Refused {
  readonly problems: readonly LocatedDiagnostic[];
}

export interface KeeperInput extends CheckoutInput {
  readonly rules: IterateRules;
  /** The state folder. */
  readonly dir: string;
}

export async function loopKeeper(input: KeeperInput): Promise<LoopKeeper> {
  const { rules, project, context } = input;
  const { root } = project.resolved;
  const iterate = project.resolved.config.iterate!;
  const tell = (state: SeriesState): Promise<ToldOf> => tellIteration(state, { ...input, root, iterate });
  if (rules.keep !== 'best')
    return {
      base: async () => undefined,
      resumed: async () => undefined,
      closed: async () => undefined,
      async decide(state) {
        const { number, measured } = state.open!;
        const made = number === 0 ? undefined : await ownBranch(state, messageOf(state), input);
        const judged = judgeIteration(state, measured!, { rules });
        return { type: 'iteration-decided', number, ...judged, ...(made ? { made } : {}) };
      },
      async close(state) {
        return state.open?.decided ? { told: await tell(state) } : {};
      },
      foldersBack: () => {},
      now: () => undefined,
      meanwhile: async () => undefined,
      undo: async () => {},
    };
  const checkout = lazyCheckout(input);
  const loop = (await loopRules(project))!;
  const closedTools = async (run: string): Promise<ClosedTools> => ({
    checkout: await checkout(),
    rules: loop,
    evidence: () => evidencePlace(root, context, run),
  });
  const differing = await mayDiffer(input);
  const orRefused = async <Value>(act: () => Promise<Value>): Promise<Value | Refused> => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof GitProblem)) throw error;
      const forged = forgedBy(error);
      if (forged) throw new FailureError(forged);
      return { problems: problemsOf(error, input) };
    }
  };
  return {
    base: (state, isFirst) =>
      orRefused(async () => ({
        ...(await (await checkout()).base(differing(isFirst), state.left)),
        ...lookAtUnkept(loop),
      })),
    closed: (open, run) => told(async () => closedWords(open, await closedTools(run))),
    // The baseline is of what is committed, and of nothing that anybody has changed since.
    resumed: ({ number, base, branch }) =>
      orRefused(async () =>
        base === undefined
          ? undefined
          : (await checkout()).stillAt({ base, branch }, differing(false), number === 0 ? 'all' : 'others'),
      ),
    async decide(state) {
      const opened = await told(checkout);
      const { base, branch } = state.open!;
      const moved = await orRefused(() => opened.stillAt({ base: base!, branch }, differing(false), 'none'));
      if (moved) return moved;
      await told(async () => moveClosed(state.open!, await closedTools(state.open!.measured!.run)));
      const unmeasured = (run: string): Promise<string | undefined> => unmeasuredIn(run, input);
      return told(() => decideChanges(state, { ...input, checkout: opened, agentId: context.agentId, unmeasured }));
    },
    async close(state) {
      const { decided } = state.open ?? {};
      const of = decided ? { told: await tell(state) } : {};
      return told(async () => {
        const opened = await checkout();
        if (decided?.changes) await opened.settle(decided.changes, state.open!.branch);
        const folders = decided ? decided.folders : state.open?.folders;
        if (folders) settleFolders(loop, folders);
        return { ...of, left: await opened.place() };
      });
    },
    foldersBack: ({ folders = [] }) => foldersBack(loop, folders),
    now: () => lookAtLoop(loop),
    async meanwhile(open, { isBegun, given }) {
      const { stopped, base } = open;
      const { ignored } = await keptByLoop(project, context);
      // What git ignores is no part of it: it is taken away, or the iteration fails of it.
      const since = (then: LoopFiles): Promise<readonly string[]> =>
        keptOf(changedFiles({ loop: then }, lookAtLoop(loop, then)), ignored);
      if (stopped) return { files: await since(stopped), by: 'person' };
      const files = given ? await since(given) : base === undefined ? [] : await (await checkout()).unlike(base);
      // Before its run has begun nobody of it can have written anything.
      return files.length === 0 ? undefined : { files, by: isBegun ? 'unknown' : 'person' };
    },
    undo: (state, run) =>
      told(async () => {
        const tools = await closedTools(run);
        await moveClosed(state.open!, tools);
        await undoChanges(state, { ...input, checkout: tools.checkout, agentId: context.agentId });
        if (state.open!.folders) settleFolders(loop, state.open!.folders);
      }),
  };
}

/** With what to type: going back, or a baseline that counts what is there now. */
function problemsOf(
  { reason, what, fix }: GitProblem,
  { project, context }: KeeperInput,
): readonly LocatedDiagnostic[] {
  const isMoved = reason === 'rewritten';
  const at = { kind: 'config', pointer: pointerOf('iterate', 'keep') } as const;
  const anew = `, or begin another series with a baseline of its own: autoresearch exec${again(context)} --new`;
  const problem = {
    code: isMoved ? 'AR345' : 'AR344',
    message: what,
    at,
    hint: `${fix}${isMoved ? anew : ''}`,
  } as const;
  return project.resolved.locate([problem]);
}

interface TellTools extends KeeperInput {
  readonly root: string;
  readonly iterate: Iterate;
}

/** The table is made anew; a section is added to the insights unless somebody who was killed had added it. */
async function tellIteration(state: SeriesState, { root, iterate, rules, dir }: TellTools): Promise<ToldOf> {
  const workspace = openWorkspace(root);
  const { series } = state;
  const metric = rules.metric?.name;
  const table = tableFile(iterate, series);
  await workspace.writeFile(table, tableText(state, metric));
  const row = decidedRow(state)!;
  const file = insightsFile(iterate);
  const before = readPlain(join(root, file)) ?? '# Insights\n';
  const of: ToldOf = { table, insights: file, ...(metric === undefined ? {} : { metric }) };
  if (before.split('\n').includes(insightMark(series, row.number))) return of;
  const section = insightSection(row, { series, metric, dir: relative(root, dir) });
  await workspace.writeFile(file, `${before.trimEnd()}\n\n${section}`);
  return of;
}

/** A run that cannot be read any more has been told of elsewhere. */
async function unmeasuredIn(run: string, { project, context }: KeeperInput): Promise<string | undefined> {
  const reading = openRunStore(project.resolved.root, context.agentId).read(run);
  return reading && unmeasuredWords(reading, project.plan, await keptByLoop(project, context));
}
