import { type Failure, FailureError } from '../../model/failure.js';
import type { OwnTree, Place } from '../../model/files/isolation.js';
import type { Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { Committed, TreeCommit } from '../../model/state/tree-record.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { Claims } from '../protect/claims.js';
import type { AttemptResult } from './attempt.js';
import type { Try } from './attempt-ports.js';
import { commitMessage } from './commit-message.js';
import { type LandTools, land, sameAsChecked } from './land.js';
import { outputsAfter } from './outputs.js';
import type { Places } from './places.js';

export interface IsolatedTools extends Omit<LandTools, 'recheck' | 'breach' | 'disturbed'> {
  readonly run: string;
  readonly name: string;
  readonly agentId?: string;
  readonly vars: { readonly [name: string]: Json };
  readonly places: Places;
  readonly claims: Claims;
  state(): Pick<RunState, 'iteration'>;
  /** What an attempt of this run has committed and nobody has merged yet. */
  committedOf(task: Task): Committed | undefined;
  attempt(place: Place): Promise<AttemptResult>;
  recheck(place: Place): Promise<Failure | undefined>;
  /** What is protected, in the project and in the place. */
  breach(place: Place): Failure | undefined;
}

/** One attempt in a worktree of its own. What passes there is committed, merged and only then a result. */
export async function tryIsolated(task: Task, one: Try, tools: IsolatedTools): Promise<AttemptResult> {
  try {
    const earlier = tools.committedOf(task);
    const isDone = earlier !== undefined && earlier.fingerprint === one.fingerprint;
    if (isDone && earlier.merged) return await afterMerge(task, earlier, tools);
    const { places, claims } = tools;
    const open = () => (task.part?.kind === 'whole' ? places.freshTree(task) : places.tree(task));
    let tree = await claims.besidePlanners(open, isOfChanges);
    const stirred = disturbed(task, true, tools);
    if (stirred) return { ok: false, failure: stirred };
    // Somebody was interrupted, or could not be merged: the work itself is done and paid.
    if (isDone) {
      one.folder.log(`goes on with the work of attempt ${earlier.attempt}, which is to be merged`);
      return await landed(task, { ...earlier, tree }, tools);
    }
    if (one.attempt > 1 && task.part?.kind !== 'whole') {
      // What somebody has done to it since the last look must not pass for what others have committed.
      const breached = tree.broken() ?? tools.breach(tree.place);
      if (breached) return { ok: false, failure: breached };
      tree = await places.caughtUp(task);
    }
    const result = await watched(task, tree, { ...tools, act: () => tools.attempt(tree.place) });
    places.rest(task, tree);
    if (!result.ok) return result;
    if (task.part?.kind === 'whole') return await looked(task, { one, tree, result }, tools);
    const committed = await commit(task, { one, tree, result }, tools);
    const done = await landed(task, { ...committed, tree }, tools);
    if (done.ok) return { ...told(result), ...done };
    places.rest(task, tree);
    return done;
  } catch (error) {
    if (error instanceof FailureError) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** The checkout has changes that are in no commit. */
const isOfChanges = (error: unknown): boolean =>
  error instanceof FailureError && error.failure.code === 'worktree-failed' && error.failure.files !== undefined;

/** What a task said of its work, besides the files that are merged. */
const told = ({ warnings, product }: Passed['result']): Pick<Passed['result'], 'warnings' | 'product'> => ({
  ...(warnings ? { warnings } : {}),
  ...(product === undefined ? {} : { product }),
});

/** Who only looks leaves nothing behind: what its checks wrote is no work, and what they saw is what is there. */
async function looked(task: Task, { tree, result }: Passed, { places, ports }: IsolatedTools): Promise<AttemptResult> {
  await tree.restore();
  await places.close(task);
  return sameAsChecked(result.outputs, outputsAfter(task, ports.files, new Map()), result.summary);
}

/** Killed after the merge and before anybody wrote down that the task had passed. */
async function afterMerge(
  task: Task,
  { summary }: Committed,
  { places, ports }: IsolatedTools,
): Promise<AttemptResult> {
  await places.close(task);
  const after = outputsAfter(task, ports.files, new Map());
  return after.ok && summary !== undefined ? { ...after, summary } : after;
}

type Watching = Pick<IsolatedTools, 'claims'> & { act(): Promise<AttemptResult> };

/** An agent in a worktree, and what it wrote, have nothing to do in the checkout that people work in. */
async function watched(task: Task, tree: OwnTree, { act, claims }: Watching): Promise<AttemptResult> {
  // First: who ends while the first look is taken may have written after its file was looked at.
  const others = claims.watch(task.id);
  try {
    const watch = await tree.watchMain();
    const match = await loadGlobMatch();
    const result = await act();
    const changes = await watch.changes();
    const declared = others.inCheckout();
    const files = changes.files.filter((file) => !declared.some((pattern) => match(pattern, file)));
    const broken = tree.broken();
    if (files.length === 0 && !changes.head) return broken ? { ok: false, failure: broken } : result;
    const beside = others.others();
    const agent = task.agent ? { agent: task.agent.name } : {};
    const head = changes.head ? { head: changes.head } : {};
    const failure: Failure = {
      code: 'checkout-written',
      files,
      ...agent,
      ...head,
      ...(beside.length > 0 ? { beside } : {}),
    };
    return { ok: false, failure };
  } finally {
    others.end();
  }
}

interface Passed {
  readonly one: Try;
  readonly tree: OwnTree;
  readonly result: Extract<AttemptResult, { ok: true }>;
}

/** Written down before anything leads to the commit: a run that is killed in between goes on with it. */
async function commit(task: Task, { one, tree, result }: Passed, tools: IsolatedTools): Promise<Committed> {
  const { ports, run, name, agentId, vars, record } = tools;
  const { attempt, fingerprint } = one;
  const { summary } = result;
  const { branch } = tree.record;
  const said = summary === undefined ? {} : { summary };
  const { iteration } = tools.state();
  const message = await commitMessage(task, { run, name, agentId, attempt, branch, vars, iteration, ...said }, ports);
  const atMs = ports.clock.now();
  const made = fingerprint === undefined ? {} : { fingerprint };
  const about = ({ tip }: TreeCommit): Committed => ({ attempt, tip, message, atMs, ...made, ...said });
  const done = await tree.commit({ message, atMs }, (commit) => {
    const { tip: _tip, refused, kept, outside, ...rest } = commit;
    const wrong = tools.breach(tree.place) ?? writtenOutside(task, outside) ?? disturbed(task, false, tools);
    if (wrong) throw new FailureError(wrong);
    const notIn = refused.length > 0 ? { refused } : {};
    const theirs = kept.length > 0 ? { kept } : {};
    record([{ type: 'worktree-committed', task: task.id, branch, ...rest, ...about(commit), ...notIn, ...theirs }]);
  });
  return about(done);
}

/** Without a sandbox an agent can write wherever it likes; that it was not this task is known while this one does not work. */
const disturbed = (task: Task, wakes: boolean, { places, claims }: IsolatedTools): Failure | undefined =>
  places.disturbed(task, { wakes, beside: claims.atWork(task.id).map(({ id }) => id) });

/** Somebody who was left behind, or a file of the repository that is not in the project. Its worktree is kept as it is. */
const writtenOutside = (task: Task, files: readonly string[]): Failure | undefined =>
  files.length === 0 ? undefined : { code: 'scope-violated', agent: task.agent?.name ?? task.uses, files };

async function landed(
  task: Task,
  { tree, ...committed }: Committed & { tree: OwnTree },
  tools: IsolatedTools,
): Promise<AttemptResult> {
  const act = async (): Promise<AttemptResult> => {
    const failure = await tools.recheck(tree.place);
    return failure ? { ok: false, failure } : { ok: true, outputs: [] };
  };
  const result = await land(
    { task, tree, ...committed },
    {
      ...tools,
      breach: () => tools.breach(tree.place),
      disturbed: () => disturbed(task, true, tools),
      recheck: async () => {
        const checked = await watched(task, tree, { ...tools, act });
        return checked.ok ? undefined : checked.failure;
      },
    },
  );
  if (result.ok) await tools.places.close(task);
  return result;
}
