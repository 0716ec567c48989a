import { openRunStore, type RunStore } from '../../adapters/journal/run-store.js';
import type { GoneOn } from '../../adapters/watch/hidden-files.js';
import type { HiddenFile, LeftOutside } from '../../adapters/watch/left-outside.js';
import type { OutsideWatch } from '../../adapters/watch/outside-watch.js';
import type { Outcome } from '../../model/events/event.js';
import type { Measure } from '../../model/events/iteration-event.js';
import type { Iterate } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import type { OpenIteration, SeriesState } from '../../model/state/iteration-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { logHint } from '../../report/words/log-like.js';
import { listed } from '../../report/words/phrase.js';
import { givenIn } from '../../run/iterate/changed-meanwhile.js';
import { measureChanges } from '../../run/iterate/measure-of.js';
import { isMeasurable, type Measured } from '../../run/iterate/measure-run.js';
import { redoneSince } from '../../run/iterate/redone-since.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import { select } from '../../run/select.js';
import { checkedHistory } from '../history/checked-history.js';
import { saidByFailed } from './failed-words.js';
import { type IterationWish, isAgainIn } from './iteration-wish.js';
import type { LoopInput } from './loop-input.js';
import type { LastSeen, LoopKeeper } from './loop-keeper.js';
import type { LoopMeasure } from './loop-measure.js';
import { newestRun, ownRun } from './loop-runs.js';
import { endLoopWatch, forgetFound, keptByLoop, loopWatch } from './loop-watch.js';
import { measured } from './measured.js';

export interface IterationRunTools extends LoopInput {
  readonly iterate: Iterate;
  readonly rules: IterateRules;
  readonly measure: LoopMeasure;
  readonly keeper: Pick<LoopKeeper, 'closed'>;
  readonly record: { readonly state: SeriesState | undefined };
  readonly open: OpenIteration;
}

/** The run of one iteration, `project` being the study as it is there. */
export class IterationRun {
  readonly #tools: IterationRunTools;
  readonly #store: RunStore;

  constructor(tools: IterationRunTools) {
    this.#tools = tools;
    this.#store = openRunStore(tools.project.resolved.root, tools.context.agentId);
  }

  /** Undefined before there is such a run. */
  get outcome(): Outcome | undefined {
    return this.#own?.outcome;
  }

  /** What is known of it when nobody is at it any more. */
  get lastSeen(): LastSeen {
    const reading = this.#own ? newestRun(this.#store, this.#name) : undefined;
    const given = reading ? givenIn(reading.entries, this.#tools.project.plan).at(-1)?.loop : undefined;
    return { isBegun: reading !== undefined, given };
  }

  get id(): string {
    return this.#own!.run;
  }

  /** What it came to, or the exit code of who stands in the way. */
  async toItsEnd(): Promise<Measured | number> {
    const { measure } = this.#tools;
    const before = measure.now();
    if (this.outcome === 'violated')
      forgetFound(this.#tools.project, { ...this.#tools, record: this.#tools.open.record });
    const watch = await this.#watch();
    let code: number | undefined;
    if (!this.#isOver) code = await this.#run();
    // Whoever is killed before this look is looked at by the next one.
    const left = code === undefined || this.#isOver || this.outcome === 'violated' ? await watch.end() : undefined;
    if (code !== undefined && !this.#isOver) return code;
    return this.#measured(left, before);
  }

  /** Once it is on record what it came to: whoever is killed before that looks at it once more. */
  over(): void {
    endLoopWatch(this.#tools.project.resolved.root, this.#tools.context);
  }

  get #name(): string {
    return this.#tools.record.state!.name;
  }

  get #own(): RunState | undefined {
    return ownRun(this.#store, this.#name, this.#tools.open.record);
  }

  get #isOver(): boolean {
    const own = this.#own;
    return own !== undefined && isMeasurable(own);
  }

  #watch(): Promise<OutsideWatch> {
    const { project, context, open, rules } = this.#tools;
    const run = (): string => this.#own!.run;
    return loopWatch({ project, context, record: open.record, keep: rules.keep, run, goneOn: this.#goneOn });
  }

  get #goneOn(): GoneOn | undefined {
    if (!this.#own) return undefined;
    const { entries } = newestRun(this.#store, this.#name)!;
    // Whoever broke the rules begins anew.
    const redoneMs = this.outcome === 'violated' ? 0 : redoneSince(entries);
    return { begunMs: this.#tools.open.startedAt, redoneMs };
  }

  /** The exit code of the run. */
  async #run(): Promise<number> {
    const { context, project, open, jobs, stop, lock, iterate } = this.#tools;
    const { number, repeat, record } = open;
    const words = number === 0 ? 'the baseline' : `iteration ${number}`;
    const iteration: IterationWish = {
      owns: (state) => state.iteration?.record === record,
      isAgain: isAgainIn(project.plan),
      why: `${words} does it again`,
    };
    const selected = select(project.plan, { only: [], from: [], force: [] });
    const history = await checkedHistory(context, project, { selected, afresh: false, iteration });
    if (typeof history === 'number') return history;
    const { runProject } = await import('../run/run-project.js');
    const { series } = this.#tools.record.state!;
    const which = { series, number, repeat, of: iterate.max, record };
    return runProject({ context, project, history, jobs, stop, lock, afresh: false, iteration: which });
  }

  async #measured(left: LeftOutside | undefined, before: Measure | undefined): Promise<Measured> {
    const { project, iterate, open, measure, record, keeper } = this.#tools;
    const reading = newestRun(this.#store, this.#name)!;
    const kept = await keptByLoop(project, this.#tools.context);
    const how = await measured(reading, project.plan, {
      ...{ iterate, number: open.number, ...kept },
      said: (task) =>
        saidByFailed(task, {
          ...{ project, context: this.#tools.context },
          runDir: this.#store.runDir(reading.state!.run),
        }),
    });
    const isFirst = record.state!.measure === undefined;
    const cleared = left && left.cleared.length > 0 ? { cleared: left.cleared } : {};
    const known = { ...how, ...cleared, ...(before && isFirst ? { measure: before } : {}) };
    if (left && left.outside.length > 0) return { ...without(known), outside: left.outside, failure: leftWords(left) };
    const closed = open.number > 0 ? await keeper.closed(open, reading.state!.run) : undefined;
    if (closed !== undefined) return { ...without(known), failure: closed };
    if (left?.unkept) return { ...without(known), failure: unkeptWords(left.unkept, left.evidence) };
    const hidden = hiddenWords(left?.hidden ?? [], reading.state!, project.plan);
    if (hidden !== undefined && open.number > 0) return { ...without(known), failure: hidden };
    const changes = before ? measureChanges(before, measure.now()!) : [];
    if (changes.length === 0 || known.value === undefined) return known;
    const failure = `what decides about the number was changed while it was measured: ${listed(changes, 6)}`;
    return { ...without(known), failure };
  }
}

/** A number that nobody can believe is none. */
function without({ value: _value, metrics: _metrics, measure: _measure, ...rest }: Measured): Measured {
  return rest;
}

function leftWords({ outside, problems, evidence }: LeftOutside): string {
  const back = problems.length === 0 ? 'all of it was put back' : `not put back: ${listed(problems)}`;
  const kept = evidence === undefined ? '' : ` (what stood there is in ${evidence})`;
  return `it wrote where nothing of the loop is: ${listed(outside, 6)}; ${back}${kept}`;
}

/** Told to whoever tries next: the scope allows it, and nothing would come of it. */
function unkeptWords(files: readonly string[], evidence: string | undefined): string {
  const [is, was] = files.length === 1 ? ['is', 'it was'] : ['are', 'they were'];
  const kept = evidence === undefined ? '' : ` (what stood there is in ${evidence})`;
  return `${listed(files, 6)} ${is} in the scope of a stage, and neither among iterate.files nor an output, so nothing of that would be kept: ${was} put back${kept}`;
}

/**
 * What git ignores and was there when the code was measured is missing from what would be kept, so the number is not of that. What commands
 * make while they run what was written, such as a build, they make again.
 */
function hiddenWords(hidden: readonly HiddenFile[], { tasks }: RunState, plan: Plan): string | undefined {
  const writers = plan.tasks.flatMap(({ id, agent }) => (agent ? (tasks.get(id) ?? []) : []));
  const doneMs = writers.map(({ startedAt = 0, durationMs = 0 }) => startedAt + durationMs);
  const untilMs = doneMs.length > 0 ? Math.max(...doneMs) : Number.POSITIVE_INFINITY;
  const there = hidden.filter(({ bornMs }) => bornMs <= untilMs).map(({ path }) => path);
  if (there.length === 0) return undefined;
  return `git ignores ${listed(there, 6)}, which stood among the files of the loop when the number was measured: what is kept would be without it`;
}

export const outsideText = (outside: readonly string[]): string =>
  `${listed(outside, 6)}: written in an iteration, and neither a file of the loop nor an output of a stage, or a part of the study itself. Declare what stages make under outputs, or let git ignore it; nothing may change the study while it runs${logHint(outside)}.`;
