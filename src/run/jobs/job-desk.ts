import type { JobFinished } from '../../model/events/job-event.js';
import type { Failure } from '../../model/failure.js';
import type { Task, TaskId } from '../../model/plan.js';
import type { JobState } from '../../model/state/job-state.js';
import { ClusterWatch } from './cluster-watch.js';
import { endOthers } from './end-others.js';
import { gpuCeiling, usedBy } from './gpu-hours.js';
import { HeldUpNotes } from './held-up-notes.js';
import { behind, type ChainedErrand, chainDigest, isWanted } from './job-chain.js';
import type { JobDeskTools } from './job-desk-tools.js';
import type { JobErrand, JobPorts, JobResult, JobSignals } from './job-errand.js';
import { endWord, failureOf } from './job-failure.js';
import { jobTag, orderDigest } from './job-names.js';
import { waitingJob } from './job-order.js';
import { resultOf } from './job-result.js';
import { type WatchEnd, watchJob } from './job-watch.js';
import { spentOn } from './spent-on.js';
import { type Handed, SubmitDesk } from './submit-jobs.js';
import { takeUp } from './take-up.js';

interface HandParts {
  readonly order: string;
  readonly tag: string;
  readonly ports: JobPorts;
  readonly signals: JobSignals;
}

interface Counter {
  readonly notes: HeldUpNotes;
  readonly submit: SubmitDesk;
  readonly watch: ClusterWatch;
}

/**
 * Where all jobs go out. The journal knows a job before its scheduler does, and what it knows is taken up again: whoever was
 * interrupted finds its job, running or ended, instead of submitting another.
 */
export class JobDesk {
  readonly #tools: JobDeskTools;
  readonly #counters = new Map<string, Promise<Counter>>();
  /** Tasks whose job was handed over ahead. */
  readonly #ahead = new Set<TaskId>();
  #watching = 0;

  constructor(tools: JobDeskTools) {
    this.#tools = tools;
  }

  run(errand: JobErrand, signals: JobSignals): Promise<JobResult> {
    return this.#tools.rest(this.#run(errand, signals));
  }

  async #run(errand: JobErrand, signals: JobSignals): Promise<JobResult> {
    const ports = await this.#tools.reach();
    const order = orderDigest(errand);
    const all = this.#jobsOf(errand.task.id);
    const mine = all.filter(({ spent }) => !spent);
    const isPassed = mine.some(({ job }) => job > errand.job);
    const state = this.#tools.state();
    const known =
      mine.findLast(
        (each) => each.job === errand.job && each.order === order && !each.after && isUsable(each, isPassed),
      ) ?? mine.findLast((each) => !isVoid(each) && isWanted(each, errand, state));
    const followed = known !== undefined && isPassed;
    const others = all.filter((each) => each !== known && !(known && each.job > errand.job));
    const inTheWay = await this.#end(others);
    if (inTheWay) return { failure: inTheWay, followed: false };
    if (known?.end) return resultOf(known, errand, { ports, followed });
    const taken = known ? await this.#takeUp(known, errand, { ports, signals }) : undefined;
    const tag = known?.tag ?? this.#tagOf(errand);
    const log = ports.follow(tag, errand.folder);
    // A tag that surely has no job is used again, so that even one that turns up late is known as the same.
    const handed = taken ?? (await this.#hand(errand, { order, tag, ports, signals }));
    const dir = ports.folderOf(tag);
    if (!handed.ok) return { failure: handed.failure, dir, followed };
    const { scheduler, counter } = await this.#at(errand.cluster);
    const { patienceMs, pollMs } = ports.settings(errand.cluster);
    const over = new AbortController();
    const letGo = AbortSignal.any([signals.letGo, over.signal]);
    // A scheduler that hangs must not keep anybody from looking after this one. What breaks here breaks the journal, too.
    const chained = this.#chain(errand.task, { ports, signals: { ...signals, letGo } }).catch(() => {});
    const job = this.#tools.state().jobs.get(tag)!;
    let isWaiting = false;
    const end = await watchJob(
      {
        id: handed.id,
        tag,
        sinceMs: job.submittingAt,
        ...(job.runningSince === undefined ? {} : { runningSince: job.runningSince }),
      },
      errand,
      {
        ...signals,
        scheduler,
        ports,
        clock: this.#tools.clock,
        cluster: counter.watch,
        patienceMs,
        tickMs: Math.min(pollMs, longestTickMs),
        // Nobody goes away before all that can be handed over is.
        goesOn: () =>
          void chained.then(() => {
            if (over.signal.aborted) return;
            isWaiting = true;
            this.#watch(1);
          }),
        changed: (news) =>
          this.#tools.record([{ type: 'job-state-changed', task: errand.task.id, tag, id: handed.id, ...news }]),
      },
    );
    over.abort();
    // What is being handed over is known before its task may begin and would hand it over once more.
    if (end.kind !== 'let-go') await chained;
    if (isWaiting) this.#watch(-1);
    const result = await this.#finish({ tag, id: handed.id, end, followed }, errand, ports);
    return {
      ...result,
      dir,
      lines: log.lines(),
      ...(taken ? { adopted: known!.before } : {}),
    };
  }

  #watch(change: 1 | -1): void {
    this.#watching += change;
    this.#tools.watching(this.#watching);
  }

  /** Hands over what waits for nothing but this job and others that are in the queue already. */
  async #chain(task: Task, parts: Pick<HandParts, 'ports' | 'signals'>): Promise<void> {
    const { chained } = this.#tools;
    if (!chained || !task.on || !(await parts.ports.scheduler(task.on.cluster)).hasChains) return;
    const next = chained(task).filter((errand) => !this.#ahead.has(errand.task.id));
    for (const errand of next) this.#ahead.add(errand.task.id);
    const hand = async (errand: ChainedErrand): Promise<void> => {
      const handed = await this.#hand(errand, { ...parts, order: chainDigest(errand), tag: this.#tagOf(errand) });
      if (handed.ok) await this.#chain(errand.task, parts);
    };
    await Promise.all(next.map(hand));
  }

  /** The task came to nothing: what was to come after its jobs is taken out of the queue. */
  async letDown(task: TaskId): Promise<void> {
    const tags = this.#jobsOf(task).map(({ tag }) => tag);
    await this.#end(behind(tags, this.#tools.state().jobs).filter(({ end }) => !end));
  }

  async #end(jobs: readonly JobState[]): Promise<Failure | undefined> {
    const ports = await this.#tools.reach();
    const { clock, record } = this.#tools;
    return endOthers(jobs, { ports, nowMs: clock.now(), scheduler: (cluster) => ports.scheduler(cluster), record });
  }

  #tagOf({ task, attempt, job }: Pick<JobErrand, 'task' | 'attempt' | 'job'>): string {
    const { run, root } = this.#tools;
    return jobTag({ root, run, task: task.id, attempt, job });
  }

  async #hand(errand: JobErrand | ChainedErrand, { signals, ...place }: HandParts): Promise<Handed> {
    const { counter } = await this.#at(errand.cluster);
    return new Promise((done, broke) => {
      const work = waitingJob(errand, { ...place, run: this.#tools.run });
      const log = 'folder' in errand ? { log: errand.folder.log } : {};
      counter.submit.add({ ...work, signal: either(signals), done, broke, ...log });
    });
  }

  async #takeUp(job: JobState, errand: JobErrand, { ports, signals }: Pick<HandParts, 'ports' | 'signals'>) {
    const { clock, record } = this.#tools;
    const { scheduler, counter } = await this.#at(job.cluster);
    return takeUp(job, errand, { ports, scheduler, notes: counter.notes, clock, record, signal: either(signals) });
  }

  async #finish(
    {
      tag,
      id,
      end,
      followed,
    }: { readonly tag: string; readonly id: string; readonly end: WatchEnd; readonly followed: boolean },
    errand: JobErrand,
    ports: JobPorts,
  ): Promise<JobResult> {
    const { cluster, task } = errand;
    if (end.kind === 'let-go') return { failure: { code: 'cancelled', signal: 'a stop' }, id, tag, followed };
    const { scheduler } = await this.#at(cluster);
    // What did not end well is taken away, with all that may be left of it.
    const isWell = end.kind === 'ended' && end.how === 'completed';
    const gone = isWell ? ({ ok: true } as const) : await scheduler.cancel([id]);
    // It may go on: as long as the journal knows no end of it, nobody submits another one.
    if (!gone.ok && end.kind !== 'ended' && end.kind !== 'lost')
      return { failure: { code: 'job-unsure', cluster, tag, detail: gone.detail }, id, tag, followed };
    const state = this.#tools.state().jobs.get(tag)!;
    const used = usedBy(state, ports, this.#tools.clock.now());
    const word = endWord(end);
    const finished: JobFinished = { type: 'job-finished', task: task.id, tag, cluster, id, ...word, ...used };
    this.#tools.record([finished, ...(await spentOn(errand, finished, { run: this.#tools.run, ports }))]);
    const failure = failureOf(finished, {
      cluster,
      id,
      run: errand.run,
      ...(end.kind === 'ended' ? { word: end.word } : {}),
    });
    return { ...(failure ? { failure } : {}), end: finished, id, tag, followed };
  }

  #jobsOf(task: string): JobState[] {
    return [...this.#tools.state().jobs.values()].filter((job) => job.task === task);
  }

  async #at(cluster: string) {
    const ports = await this.#tools.reach();
    const scheduler = await ports.scheduler(cluster);
    const { clock, record } = this.#tools;
    const notes = new HeldUpNotes(record);
    const make = async (): Promise<Counter> => ({
      notes,
      submit: new SubmitDesk({
        cluster,
        notes,
        scheduler,
        ports,
        clock,
        record,
        overBudget: (wanted): Failure | undefined =>
          gpuCeiling(this.#tools.budget, this.#tools.state().jobs.values(), wanted),
      }),
      watch: new ClusterWatch(scheduler, ports.settings(cluster), clock),
    });
    if (!this.#counters.has(cluster)) this.#counters.set(cluster, make());
    return { scheduler, counter: await this.#counters.get(cluster)! };
  }
}

/** Whoever ended it did not wait for its result: there is none to take up. */
const isVoid = ({ end }: JobState): boolean => end !== undefined && voidEnds.has(end.how);

/** Who went on from a sick one to another job had its result. */
const isUsable = (job: JobState, isPassed: boolean): boolean => !isVoid(job) || (isPassed && job.end?.how === 'sick');

const voidEnds: ReadonlySet<string> = new Set(['cancelled', 'replaced', 'refused', 'lost', 'sick']);

const longestTickMs = 1000;

const either = ({ letGo, cancel }: JobSignals): AbortSignal => AbortSignal.any([letGo, cancel]);
