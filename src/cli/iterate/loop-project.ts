import type { IterationRecord } from '../../adapters/iteration/iteration-record.js';
import type { Unkept } from '../../adapters/iteration/loop-files.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { CheckoutPlace } from '../../model/events/iteration-event.js';
import { exitCode } from '../../model/exit-code.js';
import type { Iterate } from '../../model/generated/config.js';
import type { OpenIteration, SeriesState } from '../../model/state/iteration-state.js';
import { loopEnd } from '../../run/iterate/loop-end.js';
import { type NextStep, nextStep, type Stop } from '../../run/iterate/next-step.js';
import { type IterateRules, rulesOf } from '../../run/iterate/rules.js';
import type { CliContext } from '../context.js';
import { refuse } from '../refuse.js';
import { refusedSeries } from './begin-series.js';
import { holdCheckout } from './hold-checkout.js';
import { iterationAt } from './iteration-now.js';
import { IterationRun, outsideText } from './iteration-run.js';
import { tellIteration } from './iteration-told.js';
import type { LoopInput } from './loop-input.js';
import { type LastSeen, type LoopKeeper, loopKeeper, type Refused } from './loop-keeper.js';
import { type LoopMeasure, loopMeasure } from './loop-measure.js';
import { openLoopRecord } from './loop-record.js';
import { loopTeller } from './loop-teller.js';
import { loadUntil } from './until.js';

declare const __VERSION__: string;

/** Options that say something about one run, and nothing about a loop. */
export function optionProblems(context: CliContext): readonly Diagnostic[] {
  const given = ['only', 'from', 'force'].filter((name) => context.values(name).length > 0);
  const all = [
    ...given,
    ...(context.value('plan') === undefined ? [] : ['plan']),
    ...(context.flag('stash') ? ['stash'] : []),
  ];
  return all.map((name) => ({
    code: 'AR604',
    message: `--${name} does not go with iterate: every iteration does what its rules say`,
    at: { kind: 'argument', argument: `--${name}` },
    hint: 'Take it out, or take iterate out of the config for this run',
  }));
}

/** One iteration after another, each step from the record alone, until a rule or a person ends it. */
export async function loopProject(input: LoopInput): Promise<number> {
  const { context, project } = input;
  const { root, config } = project.resolved;
  const iterate = config.iterate!;
  const rules = rulesOf(iterate);
  const teller = loopTeller(context, { iterate });
  const dir = stateDir(root, context.agentId);
  const free = await holdCheckout(input, rules);
  try {
    const keeper = await loopKeeper({ project, context, rules, dir });
    const measure = await loopMeasure(project, context);
    if (!measure.ok) return refuse(measure.error, context);
    const refused = await refusedSeries({ ...input, rules, keeper, dir });
    if (refused !== undefined) return refused;
    const opened = openLoopRecord({
      ...{ root, dir, context },
      name: project.plan.name,
      before: () => input.lock.check(),
      told: (entry) => teller.recorded(entry),
    });
    let failed: unknown;
    try {
      const { record, seriesBefore } = opened;
      const until = rules.until === undefined ? {} : { until: await loadUntil(rules.until, config) };
      const tools = { ...input, iterate, rules, record, keeper, until, seriesBefore, measure: measure.value };
      const end = await new Loop(tools).run();
      if (typeof end === 'number') return end;
      return teller.finished(record.state!, end.because, await tellIteration(input));
    } catch (error) {
      failed = error;
      throw error;
    } finally {
      await opened.close(failed);
    }
  } finally {
    free();
  }
}

interface LoopTools extends LoopInput {
  readonly iterate: Iterate;
  readonly rules: IterateRules;
  readonly record: IterationRecord;
  readonly keeper: LoopKeeper;
  readonly measure: LoopMeasure;
  readonly until: { readonly until?: (state: SeriesState) => boolean };
  /** Series that a record told of which is gone: none of their names is used again. */
  readonly seriesBefore: number;
}

class Loop {
  readonly #tools: LoopTools;
  /** `--new` asks for one new series, not for one after another. */
  #isAfresh: boolean;
  /** The iteration that this process began. */
  #begun: string | undefined;

  constructor(tools: LoopTools) {
    this.#tools = tools;
    this.#isAfresh = tools.context.flag('new');
  }

  /** The exit code of a run that stands in the way, or why the loop is over. */
  async run(): Promise<number | Stop> {
    const { rules, until, project, record, stop, seriesBefore } = this.#tools;
    for (;;) {
      const next: NextStep = this.#isAfresh
        ? { do: 'begin-series', series: (record.state?.series ?? seriesBefore) + 1 }
        : nextStep(record.state, project.plan.name, { rules, ...until });
      if (next.do === 'stop') return this.#finish(next);
      if (stop.signal && next.do === 'start')
        return stop.signal === 'SIGINT' ? exitCode.interrupted : exitCode.terminated;
      const end = await this.#step(next);
      if (end !== undefined) return end;
    }
  }

  async #finish(stop: Stop): Promise<Stop> {
    const { record, rules } = this.#tools;
    const { because, detail } = stop;
    const end = loopEnd(record.state!, because, rules);
    const known = record.state!.finished;
    const isKnown = known?.because === because && known.detail === detail;
    if (!isKnown || known.outcome !== end.outcome || known.missed !== end.missed)
      await record.add({ type: 'iterations-finished', because, detail, ...end });
    return stop;
  }

  async #step(next: Exclude<NextStep, Stop>): Promise<number | undefined> {
    const { record, keeper, project } = this.#tools;
    switch (next.do) {
      case 'begin-series': {
        this.#isAfresh = false;
        const { name } = project.plan;
        const { series } = next;
        await record.add({ type: 'series-started', record: 1, series, name, tool: __VERSION__ });
        return undefined;
      }
      case 'start': {
        const state = record.state!;
        const other = this.#tools.measure.problems(state.measure);
        if (other.length > 0) return refuse(other, this.#tools.context);
        const base = await keeper.base(state, next.number === 0 || state.rows.length === 0);
        if (base && 'problems' in base) return refuse(base.problems, this.#tools.context);
        const { number, repeat } = next;
        await record.add({ type: 'iteration-started', number, repeat, ...(base ? beginning(base) : {}) });
        this.#begun = record.state!.open!.record;
        return undefined;
      }
      case 'run':
        return this.#run(record.state!.open!);
      case 'decide': {
        const decided = await keeper.decide(record.state!);
        if (!('problems' in decided)) await record.add(decided);
        return 'problems' in decided ? this.#violated(decided) : undefined;
      }
      case 'close':
        return this.#close(record.state!);
    }
  }

  /** Somebody did, while the iteration ran, what would make its result another one. */
  #violated({ problems }: Refused): number {
    refuse(problems, this.#tools.context);
    return exitCode.integrity;
  }

  async #close(state: SeriesState): Promise<number | undefined> {
    const { record, keeper } = this.#tools;
    const { number, measured: how } = state.open!;
    await record.add({ type: 'iteration-closed', number, ...(await keeper.close(state)) });
    await tellIteration(this.#tools);
    if (how?.outside) return exitCode.integrity;
    // A person who says no to an iteration says no to going on unasked.
    return how?.rejected ? exitCode.failed : undefined;
  }

  /** The run of the open iteration: begun, resumed, or over already when somebody was killed behind it. */
  async #run(open: OpenIteration): Promise<number | undefined> {
    const { context, project, record, iterate, keeper, measure } = this.#tools;
    const state = record.state!;
    const other = measure.problems(state.measure);
    if (other.length > 0) return refuse(other, context);
    const place = { root: project.resolved.root, agentId: context.agentId, name: state.name, iterate };
    const at = iterationAt(state, { ...open, series: state.series }, place);
    const next = await project.at(at);
    if (!next.ok) return refuse(next.error, context);
    const run = new IterationRun({ ...this.#tools, project: next.value, open });
    // Unless that was done when its runner ended: what is there since then is somebody's own.
    if (run.outcome === 'violated' && !open.stopped) await keeper.undo(state, run.id);
    const moved = await keeper.resumed(open);
    if (moved) return refuse(moved.problems, context);
    if (this.#begun !== open.record) await this.#goOn(open, run.lastSeen);
    const end = await run.toItsEnd();
    if (run.outcome === 'violated') await keeper.undo(state, run.id);
    if (typeof end === 'number' || (open.number === 0 && end.value === undefined)) keeper.foldersBack(open);
    if (typeof end === 'number') return this.#leave(open, end);
    const { number, repeat } = open;
    const { edited } = record.state!.open!;
    await record.add({ type: 'iteration-measured', number, repeat, ...end, ...(edited ? { edited } : {}) });
    run.over();
    if (end.outside) context.stderr.write(`${outsideText(end.outside)}\n`);
    if (number > 0 || end.value !== undefined) return undefined;
    await tellIteration(this.#tools);
    return end.outside ? exitCode.integrity : exitCode.failed;
  }

  /** Whatever somebody has changed among its files since the last runner was at it is said, and written down, before it counts. */
  async #goOn(open: OpenIteration, seen: LastSeen): Promise<void> {
    const { number, repeat } = open;
    const edited = await this.#tools.keeper.meanwhile(open, seen);
    if (edited) await this.#tools.record.add({ type: 'iteration-resumed', number, repeat, ...edited });
  }

  /** What its files are when nobody is at it any more is noted: the next runner sees what has been changed since. */
  async #leave({ number, repeat }: OpenIteration, code: number): Promise<number> {
    const files = this.#tools.keeper.now();
    if (files) await this.#tools.record.add({ type: 'iteration-stopped', number, repeat, files });
    return code;
  }
}

/** What there is to go back to. */
const beginning = ({ head, branch, folders, repositories }: CheckoutPlace & Unkept) =>
  ({ base: head, branch, folders, ...(repositories.length > 0 ? { repositories } : {}) }) as const;
