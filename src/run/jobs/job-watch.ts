import type { JobStateChanged } from '../../model/events/job-event.js';
import type { Clock } from '../../model/ports.js';
import type { JobStanding, Scheduler } from '../../model/scheduler.js';
import type { ClusterWatch } from './cluster-watch.js';
import type { JobErrand, JobPorts, JobSignals } from './job-errand.js';
import { type Judgement, judge } from './judge-job.js';

export interface WatchedJob {
  readonly id: string;
  readonly tag: string;
  readonly sinceMs: number;
  readonly runningSince?: number;
}

export interface WatchTools {
  readonly scheduler: Scheduler;
  readonly cluster: ClusterWatch;
  readonly ports: JobPorts;
  readonly clock: Clock;
  readonly patienceMs: number;
  readonly tickMs: number;
  /** It is known to go on: nobody needs to be there. */
  goesOn(): void;
  changed(news: Omit<JobStateChanged, 'type' | 'task' | 'tag' | 'id'>): void;
}

/** An end that was seen. */
export type SeenEnd =
  | Extract<Judgement, { kind: 'ended' }>
  | { readonly kind: 'lost'; readonly detail: string }
  | { readonly kind: 'sick'; readonly detail: string }
  | { readonly kind: 'cancelled' };

export type WatchEnd = SeenEnd | { readonly kind: 'let-go' };

/** Waits for the end of one job. What is not known is waited for, seen several times, up to a limit, and then is a failure. */
export function watchJob(job: WatchedJob, errand: JobErrand, tools: WatchTools & JobSignals): Promise<WatchEnd> {
  const { ports, clock, scheduler, cluster } = tools;
  const log = ports.follow(job.tag, errand.folder);
  let last = '';
  let runningSince = job.runningSince;
  let standing: JobStanding = { kind: 'waiting', word: '' };
  let doubt: { readonly sinceMs: number; readonly times: number } | undefined;
  let hinted = false;
  let isKnown = false;
  return new Promise((resolve, reject) => {
    const cleanups: (() => void)[] = [];
    let isOver = false;
    const end = (how: WatchEnd): void => {
      if (isOver) return;
      isOver = true;
      for (const cleanup of cleanups) cleanup();
      // Who lets go does not wait for anybody.
      if (how.kind === 'let-go') resolve(how);
      else settleLogs().then(() => resolve(how), reject);
    };
    const settleLogs = async (): Promise<void> => {
      await scheduler.fetchLogs(job.id, ports.folderOf(job.tag));
      log.copy();
    };
    const doubtful = (detail: string, limitMs: number): void => {
      doubt = { sinceMs: doubt?.sinceMs ?? clock.now(), times: (doubt?.times ?? 0) + 1 };
      if (doubt.times >= fewestLooks && clock.now() - doubt.sinceMs >= limitMs) end({ kind: 'lost', detail });
    };
    /** What cannot be recorded ends the attempt, and the run with it. */
    const orReject = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        isOver = true;
        for (const cleanup of cleanups) cleanup();
        reject(error);
      }
    };
    const hear = (found: JobStanding): void => {
      standing = found;
      note(found);
      if (found.kind === 'running') runningSince ??= clock.now();
      const judged = judge(found, ports.exitOf(job.tag), scheduler.sharesFiles);
      if (judged.kind === 'ended') end(judged);
      else if (judged.kind === 'unknown')
        doubtful(judged.detail, judged.endsSoon ? Math.min(tools.patienceMs, exitFileMs) : tools.patienceMs);
      else {
        doubt = undefined;
        if (!isKnown) tools.goesOn();
        isKnown = true;
        look();
      }
    };
    const note = (found: JobStanding): void => {
      const word = 'word' in found ? found.word : undefined;
      const now = `${found.kind} ${word ?? ''}`;
      if (now === last) return;
      last = now;
      const words = {
        ...(word === undefined ? {} : { word }),
        ...(found.detail === undefined ? {} : { detail: found.detail }),
      };
      tools.changed({ state: found.kind, ...words });
    };
    const look = (): void => {
      const running = runningSince === undefined ? {} : { runningMs: clock.now() - runningSince };
      const sick = errand.look?.({ state: standing.kind, ...running, lines: () => log.lines() });
      if (sick !== undefined) end({ kind: 'sick', detail: sick });
    };
    const tick = (): void => {
      if (isOver) return;
      log.copy();
      if (!hinted && ports.exitOf(job.tag).kind !== 'none') {
        hinted = true;
        cluster.askWithin(hintMs);
      }
      if (standing.kind === 'running') look();
      if (!isOver) cleanups[0] = clock.after(tools.tickMs, () => orReject(tick));
    };
    cleanups.push(clock.after(tools.tickMs, () => orReject(tick)));
    const tell = (found: JobStanding): void => orReject(() => hear(found));
    cleanups.push(cluster.watch({ id: job.id, sinceMs: job.sinceMs, tell }));
    const on = (signal: AbortSignal, kind: 'let-go' | 'cancelled'): void => {
      const listener = (): void => end({ kind });
      signal.addEventListener('abort', listener);
      cleanups.push(() => signal.removeEventListener('abort', listener));
      if (signal.aborted) listener();
    };
    on(tools.letGo, 'let-go');
    on(tools.cancel, 'cancelled');
  });
}

/** One bad answer after a night's sleep is no proof of anything. */
const fewestLooks = 3;
const exitFileMs = 60_000;
const hintMs = 50;
