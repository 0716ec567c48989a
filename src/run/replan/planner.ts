import type { WorkReply } from '../../model/agents/reply.js';
import { mostReplans } from '../../model/errors/retry-limits.js';
import type { RecordedEvent } from '../../model/events/event.js';
import type { Planning, TaskFileChanged } from '../../model/events/replan-event.js';
import { FailureError } from '../../model/failure.js';
import type { KeptTaskFiles } from '../../model/files/task-file-keeper.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { AskDesk } from '../agents/ask-desk.js';
import type { Asked } from '../agents/asked.js';
import type { Turns } from '../agents/turns.js';
import type { Trouble } from '../errors/mend-prompt.js';
import { type Mended, troubleEnv } from '../errors/mender.js';
import type { Claims } from '../protect/claims.js';
import { violation } from '../protect/violation.js';
import type { StopSwitch } from '../stop-switch.js';
import { type ChangeTools, isFixed, judgeChange } from './judge-change.js';
import { isProtected } from './protected-file.js';
import { replanPrompt } from './replan-prompt.js';

export interface PlannerTools extends ChangeTools {
  readonly run: string;
  readonly stop: StopSwitch;
  readonly desk: AskDesk;
  readonly claims: Claims;
  /** One planner at a time for the files of a stage. */
  readonly turns: Turns;
  record(events: readonly RecordedEvent[]): void;
}

export type Replanned =
  | Mended
  | { readonly kind: 'replanned'; readonly summary: string; readonly tasks: readonly TaskId[] };

/** A planner's turn at the task files of a stage. What it leaves is looked at before anybody goes by it. */
export interface PlannerTurn {
  /** What the record of the step says; absent when nobody is asked any more. */
  readonly planning: Planning | undefined;
  ask(trouble: Trouble, by: string): Promise<Replanned>;
}

/** Undefined: the task is not one of a file, or nobody may change that; then it is mended like any other. */
export async function plannerTurn(
  task: Task,
  attempt: number,
  by: string,
  tools: PlannerTools,
): Promise<PlannerTurn | undefined> {
  const { ports, turns, state } = tools;
  const patterns = tools.plan().tasks.find(({ id }) => id === `${task.stage}:tasks`)?.inputs ?? [];
  if (!task.part || patterns.length === 0 || !ports.keepTaskFiles || (await isProtected(task, patterns, tools)))
    return undefined;
  const done = await turns.take(task.stage);
  if ((state().replans?.[task.stage] ?? 0) >= mostReplans) {
    done();
    return { planning: undefined, ask: async (trouble) => spent(trouble, by, tools) };
  }
  const kept = await ports.keepTaskFiles(patterns, ports.openFix(task, attempt, `task-files-${by}`).dir);
  const { files, copies } = kept;
  return {
    planning: { files, patterns, copies },
    ask: (trouble) => new Turn(trouble, { by, kept, patterns }, tools).run().finally(done),
  };
}

function spent({ task, attempt }: Trouble, by: string, { record }: PlannerTools): Replanned {
  const summary = `nobody was asked: the task files of ${task.stage} have been changed ${mostReplans} times in this run`;
  record([{ type: 'fix-finished', task: task.id, attempt, by, ok: false, summary, durationMs: 0 }]);
  return { kind: 'failed', summary };
}

interface TurnOf {
  readonly by: string;
  readonly kept: KeptTaskFiles;
  readonly patterns: readonly string[];
}

class Turn {
  readonly #trouble: Trouble;
  readonly #of: TurnOf;
  readonly #tools: PlannerTools;

  constructor(trouble: Trouble, of: TurnOf, tools: PlannerTools) {
    this.#trouble = trouble;
    this.#of = of;
    this.#tools = tools;
  }

  /**
   * However it ends, the files are what they were, or what stands in the journal. Until then, and not only while the planner is
   * at work, whoever begins in a worktree is to see that somebody writes in the checkout: a file that is not committed yet, or
   * not yet put back, is nobody's change.
   */
  async run(): Promise<Replanned> {
    const { task } = this.#trouble;
    const { patterns } = this.#of;
    const planning = withScope(task, patterns);
    const outputs = { ...task, outputs: [...task.outputs, ...patterns] };
    const end = this.#tools.claims.planning(task.isolation ? planning : outputs);
    try {
      return await this.#run(planning);
    } finally {
      end();
    }
  }

  async #run(planning: Task): Promise<Replanned> {
    const { by, kept } = this.#of;
    const { ports, record } = this.#tools;
    const { task, attempt } = this.#trouble;
    const startedAt = ports.clock.now();
    const finished = (ok: boolean, summary: string, escalates = false): RecordedEvent => {
      const durationMs = Math.max(0, ports.clock.now() - startedAt);
      const more = escalates ? ({ escalates: true } as const) : {};
      return { type: 'fix-finished', task: task.id, attempt, by, ok, ...more, summary, durationMs };
    };
    const then = await this.#tools.replan(task.stage);
    const asked = await this.#ask(planning);
    const changes = kept.changes();
    if (asked.kind === 'replied' && asked.reply.outcome === 'done' && changes.length > 0) {
      const { summary } = asked.reply;
      const known = then.ok ? then.value : this.#tools.plan();
      const taken = await judgeChange(changes, { task, attempt, by, known, kept }, this.#tools);
      if (typeof taken !== 'string') {
        const next = attempt + 1;
        const { errorClass } = this.#trouble;
        record([
          taken.event,
          finished(true, summary),
          { type: 'retry-scheduled', task: task.id, attempt: next, afterMs: 0, errorClass },
        ]);
        await this.#commit(taken.event);
        kept.settle();
        return { kind: 'replanned', summary, tasks: taken.tasks };
      }
      return this.#undone({ kind: 'failed', summary: `${summary}; not taken: ${taken}` }, finished);
    }
    return this.#undone(this.#mended(asked), finished);
  }

  #undone(mended: Mended, finished: (ok: boolean, summary: string, escalates: boolean) => RecordedEvent): Mended {
    const { kept } = this.#of;
    kept.putBack();
    const summary = 'summary' in mended ? mended.summary : `${endWords[mended.kind]}; the task file is as it was`;
    this.#tools.record([finished(mended.kind === 'done', summary, mended.kind === 'escalate')]);
    kept.settle();
    return mended;
  }

  #mended(asked: Asked<WorkReply>): Mended {
    if (asked.kind === 'failed') return { kind: 'failed', summary: asked.detail };
    if (asked.kind === 'violated') return { kind: 'violated', failure: violation(this.#of.by, asked) };
    if (asked.kind !== 'replied') return asked;
    return { kind: asked.reply.outcome, summary: asked.reply.summary };
  }

  async #ask(planning: Task): Promise<Asked<WorkReply>> {
    const { ports, desk, stop, run } = this.#tools;
    const { task, attempt, lines } = this.#trouble;
    const { by, kept, patterns } = this.#of;
    const stands = ({ id, part }: Task): readonly string[] =>
      part?.kind === 'item' && isFixed(id, task.id, this.#tools) ? [part.item.id] : [];
    try {
      return await desk.ask(
        {
          task: planning,
          attempt,
          to: by,
          role: 'planner',
          form: 'work',
          prompt: replanPrompt(this.#trouble, {
            files: kept.files.map(({ path }) => path),
            patterns,
            fixed: this.#tools
              .plan()
              .tasks.filter(({ stage }) => stage === task.stage)
              .flatMap(stands),
          }),
          access: 'write',
          quoted: lines,
          env: troubleEnv(this.#trouble, { run, root: ports.workspace.root }),
          dirOf: (call) => ports.openFix(task, attempt, `planner-${call + 1}`).dir,
        },
        { stop: stop.stopping, kill: stop.killing },
      );
    } catch (error) {
      if (
        error instanceof FailureError &&
        error.failure.code !== 'journal-corrupt' &&
        error.failure.code !== 'lock-lost'
      )
        return { kind: 'failed', why: 'crashed', detail: ports.failureWords(error.failure) };
      throw error;
    }
  }

  /** The change stands without it; who comes next then complains of a checkout with changes. */
  async #commit({ commit, files, task, attempt }: TaskFileChanged): Promise<void> {
    if (commit === undefined) return;
    const { ports, record } = this.#tools;
    try {
      const made = await ports.commitFiles!(
        files.map(({ path }) => path),
        commit,
      );
      if (made) record([{ type: 'outputs-committed', task, attempt, ...made }]);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      const what = `the task file is changed, but not committed: ${ports.failureWords(error.failure)}`;
      ports.logError({ task, attempt, errorClass: 'warning', what, lines: [], next: 'it goes on', dir: '' });
    }
  }
}

const endWords = {
  cancelled: 'stopped',
  violated: 'it changed what it may not',
  'over-budget': 'the budget is spent',
} as const;

/** The same task for whoever works on its file: in the checkout, and on nothing else. */
function withScope({ isolation: _isolation, ...task }: Task, scope: readonly string[]): Task {
  const { writes: _writes, ...description } = task.description;
  return { ...task, scope, outputs: [], description };
}
