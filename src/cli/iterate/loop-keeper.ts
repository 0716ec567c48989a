import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writeDurable } from '../../adapters/durable-file.js';
import { forgedBy, told } from '../../adapters/git/checkout-problem.js';
import { GitProblem } from '../../adapters/git/git-problem.js';
import { openRepository } from '../../adapters/git/git-repository.js';
import { IterationCheckout } from '../../adapters/iteration/iteration-checkout.js';
import { type LoopRules, lookAtUnkept, settleFolders, type Unkept } from '../../adapters/iteration/loop-files.js';
import { readPlain } from '../../adapters/plain-file.js';
import { openWorkspace } from '../../adapters/project-workspace.js';
import { systemClock } from '../../adapters/system-clock.js';
import { worktreeBranch } from '../../adapters/worktree/worktree-names.js';
import { decidedRow } from '../../journal/apply-iteration.js';
import type { LocatedDiagnostic } from '../../model/diagnostic.js';
import { FailureError } from '../../model/failure.js';
import type { Iterate } from '../../model/generated/config.js';
import type { CheckoutPlace, IterationClosed, IterationDecided, ToldOf } from '../../model/iteration-event.js';
import type { OpenIteration, SeriesState } from '../../model/iteration-state.js';
import { pointerOf } from '../../model/pointer.js';
import { insightMark, insightSection, oneLine } from '../../report/iterations/insights-text.js';
import { tableText } from '../../report/iterations/table-text.js';
import { judgeIteration } from '../../run/iterate/judge-iteration.js';
import { changesOnlySeed } from '../../run/iterate/only-seed.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import { loadGlobMatch } from '../../source/glob.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import type { Project } from '../open-project.js';
import { evidencePlace } from '../vault-place.js';
import { insightsFile, tableFile } from './iteration-now.js';
import { branchOf, ownBranch } from './loop-branch.js';
import { type ClosedTools, closedWords, moveClosed } from './loop-closed.js';
import { loopRules } from './loop-rules.js';
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
  /** Puts back what the open iteration has changed so far: whoever broke the rules begins anew. It is kept safe first. */
  undo(state: SeriesState, run: string): Promise<void>;
}

export interface Refused {
  readonly problems: readonly LocatedDiagnostic[];
}

export interface KeeperInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly rules: IterateRules;
  /** The state folder. */
  readonly dir: string;
  /** For whoever only looks: a folder outside of the repository, so that nothing in there is touched. */
  readonly scratch?: string;
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
    resumed: ({ base, branch }) =>
      orRefused(async () =>
        base === undefined ? undefined : (await checkout()).stillAt({ base, branch }, differing(false), true),
      ),
    async decide(state) {
      const opened = await told(checkout);
      const { base, branch } = state.open!;
      const moved = await orRefused(() => opened.stillAt({ base: base!, branch }, differing(false), false));
      if (moved) return moved;
      await told(async () => moveClosed(state.open!, await closedTools(state.open!.measured!.run)));
      return told(() => decideChanges(state, { ...input, loop, checkout: opened, agentId: context.agentId }));
    },
    async close(state) {
      const { decided } = state.open ?? {};
      const of = decided ? { told: await tell(state) } : {};
      return told(async () => {
        const opened = await checkout();
        if (decided?.changes) await opened.settle(decided.changes, state.open!.branch);
        if (decided?.folders) settleFolders(loop, decided.folders);
        return { ...of, left: await opened.place() };
      });
    },
    undo: (state, run) =>
      told(async () => {
        const tools = await closedTools(run);
        await moveClosed(state.open!, tools);
        await undoChanges(state, { ...input, loop, checkout: tools.checkout, agentId: context.agentId });
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

/** Finding out about a repository takes git a few processes. */
function lazyCheckout({ project, context, scratch }: KeeperInput): () => Promise<IterationCheckout> {
  let opened: Promise<IterationCheckout> | undefined;
  const { resolved, plan } = project;
  const open = async (): Promise<IterationCheckout> => {
    const root = realpathSync(resolved.root);
    const repo = await openRepository(root, { env: context.env, ...(scratch === undefined ? {} : { scratch }) });
    const { protect = [] } = resolved.config;
    return new IterationCheckout({
      repo,
      root,
      files: plan.iterate?.files ?? [],
      protect,
      match: await loadGlobMatch(),
      clock: systemClock,
    });
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

interface DecideTools extends KeeperInput {
  readonly loop: LoopRules;
  readonly checkout: IterationCheckout;
  readonly agentId: string;
}

/** What was changed has a branch and a file before the decision is written down, and the decision before anything is put back. */
async function decideChanges(state: SeriesState, tools: DecideTools): Promise<IterationDecided> {
  const { number, measured, base, startedAt, folders: before } = state.open as OpenIteration;
  const { checkout, rules, dir, agentId, loop } = tools;
  const message = messageOf(state);
  const changed = await checkout.changedSince(base!, { message, at: startedAt });
  const judged = judgeIteration(state, measured!, {
    rules,
    changed: {
      files: changed.files.length,
      onlySeed: changesOnlySeed(changed.patch.toString('utf8')),
      link: changed.links.map(linkWords)[0],
    },
  });
  // A baseline changes nothing: what it left behind is not what was measured.
  const verdict = number === 0 ? 'discarded' : judged.verdict;
  const folders = verdict === 'kept' ? (measured!.folders ?? lookAtUnkept(loop).folders) : before;
  const decided = { type: 'iteration-decided', number, ...judged, ...(folders ? { folders } : {}) } as const;
  const branch = branchOf(state, agentId);
  if (changed.files.length === 0) {
    if (number > 0) await checkout.name(branch, changed.snapshot);
    return { ...decided, ...(number > 0 ? { made: { branch, commit: changed.snapshot } } : {}) };
  }
  const patch = join('iterations', String(state.series), String(number), 'changes.patch');
  const patchDigest = writeDurable(join(dir, patch), changed.patch);
  const secured = await checkout.secure(changed, base!, { branch, message, at: startedAt, verdict });
  return { ...decided, changes: { ...secured, patch, patchDigest } };
}

const linkWords = ({ file, target }: { readonly file: string; readonly target: string }): string =>
  `${file} became a link to ${target}, which is not a file of the loop: what is there could be exchanged at any time`;

/** On a branch of its own first; then as the iteration found it. Again after a crash it does what is left to do. */
async function undoChanges({ open, series }: SeriesState, { checkout, agentId }: DecideTools): Promise<void> {
  const { number, base, startedAt } = open!;
  if (base === undefined) return;
  const message = `Iteration ${number}, broken off\n\nseries ${series}`;
  const changed = await checkout.changedSince(base, { message, at: startedAt });
  if (changed.files.length === 0) return;
  const branch = worktreeBranch({ agent: agentId, iteration: number, stage: String(series), task: 'broken-off' });
  const naming = { branch, message, at: startedAt, verdict: 'discarded' } as const;
  await checkout.settle({ ...(await checkout.secure(changed, base, naming)), patch: '', patchDigest: '' });
}

function messageOf({ open, series }: SeriesState): string {
  const { number, measured } = open!;
  const tried = oneLine(measured?.tried ?? '', 150);
  const name = number === 0 ? 'Baseline' : `Iteration ${number}`;
  return `${name}${tried === '' ? '' : `: ${tried}`}\n\nautoresearch run ${measured!.run}, series ${series}`;
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
