import { availableParallelism, hostname, totalmem } from 'node:os';
import { defaultGraceMs } from '../../adapters/command/command-runner.js';
import { lastLine } from '../../adapters/command/last-line.js';
import { diskTime } from '../../adapters/disk/disk-time.js';
import { FileJournal } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import type { HeldLock } from '../../adapters/lock/held-lock.js';
import { systemClock } from '../../adapters/system-clock.js';
import { apply } from '../../journal/apply.js';
import type { JournalEntry, RecordedEvent, RunStarted } from '../../model/events/event.js';
import type { EndNote } from '../../model/files/end-note.js';
import type { Plan } from '../../model/plan.js';
import type { JournalWriter, Reporter, RunInfo } from '../../model/ports.js';
import type { Secrets } from '../../model/secrets/secrets.js';
import type { RunIteration } from '../../model/state/iteration-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { isMeasured } from '../../run/freshness/measured-by.js';
import { forcedTasks } from '../../run/select.js';
import type { History, NewestRun } from '../history/history.js';
import { sourceOf } from '../project/config-source.js';
import type { Project } from '../project/open-project.js';
import { planChanges } from '../project/plan-changes.js';
import { settingChanges, settingsOf } from '../project/settings.js';
import { logsOf, tailOf } from './run-ports.js';
import { staleNow } from './stale-now.js';

declare const __VERSION__: string;

export interface OpenedRun {
  readonly id: string;
  readonly dir: string;
  readonly journal: JournalWriter;
  /** The run as an earlier process left it. */
  readonly previous: RunState | undefined;
  readonly event: RunStarted;
  /** Where the journal begins and ends, as far as it has been written. */
  ends(): Omit<EndNote, 'version' | 'run'> | undefined;
  /** All that stands in the journal; undefined where it is too much to be kept at hand. */
  entries(): readonly JournalEntry[] | undefined;
  /** After the first event: killed in between, the next one would not know what had changed. */
  savePlan(): void;
}

export interface OpenRunInput {
  readonly project: Project;
  readonly history: History;
  readonly lock: HeldLock;
  /** The marker of this process's commands. */
  readonly runner: string;
  readonly afresh: boolean;
  /** What `--set` says. */
  readonly set: readonly string[];
  readonly iteration?: RunIteration | undefined;
}

/** The unfinished run goes on unless a new one is asked for. */
export function openRun({ project, history, lock, runner, afresh, set, iteration }: OpenRunInput): OpenedRun {
  const { plan } = project;
  const source = sourceOf(project);
  const { store } = history;
  const resumed = afresh ? undefined : history.unfinished;
  const id = resumed?.id ?? store.create(plan);
  lock.name(id);
  const settings = settingsOf(project.resolved.config);
  const planned = resumed ? plannedChanges(plan, resumed, store) : [];
  const again = resumed && staleNow(plan, history, { ...resumed.reading.state!, isEdited: planned.length > 0 });
  const stale = again?.stale ?? [];
  const changes = resumed
    ? [...planned, ...settingChanges(resumed.reading.state!.settings, settings), ...again!.changes]
    : [];
  const before = resumed?.reading.state?.set;
  const forced = forcedTasks(plan, history.decider.selected);
  const anew = resumed ? forcedTasks(plan, history.asked) : [];
  const event: RunStarted = {
    type: 'run-started',
    journal: 1,
    run: id,
    name: plan.name,
    planDigest: plan.digest,
    tasks: plan.tasks.length,
    tool: __VERSION__,
    host: hostname(),
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processors: availableParallelism(),
      memoryGb: Math.round(totalmem() / 2 ** 30),
    },
    ...(resumed && planned.length === 0 ? {} : beganOn(store.runDir(id), plan)),
    pid: process.pid,
    runner,
    ...(source ? { source } : {}),
    ...(set.length > 0 ? { set } : {}),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(forced.length > 0 ? { forced } : {}),
    ...(anew.length > 0 ? { anew } : {}),
    ...(iteration ? { iteration } : {}),
    ...(resumed
      ? { resumed: { changes, ...(stale.length > 0 ? { stale } : {}), ...(before ? { set: before } : {}) } }
      : {}),
  };
  const bare = new FileJournal(store.journalFile(id), systemClock, resumed?.reading);
  const { journal, ends, entries } = remembering(whileHeld(bare, lock), resumed?.reading.entries ?? []);
  return {
    id,
    dir: store.runDir(id),
    journal,
    ends,
    entries,
    previous: resumed?.reading.state,
    event,
    savePlan: () => (planned.length > 0 ? store.savePlan(id, plan, 'keep') : undefined),
  };
}

/** Where somebody measures, everything that is there now has to be older than the run, or its plan: the clock has to have moved on. */
function beganOn(dir: string, plan: Plan): Pick<RunStarted, 'diskNs'> {
  const now = diskTime(dir, isMeasured(plan) ? 'after' : 'now');
  return now === undefined ? {} : { diskNs: String(now) };
}

/** The saved plan is only for these words; without it the decisions are the same. */
function plannedChanges(plan: Plan, { id, reading }: NewestRun, store: RunStore): string[] {
  if (reading.state!.planDigest === plan.digest) return [];
  const saved = store.readPlan(id);
  return saved ? planChanges(saved.tasks, plan.tasks) : ['the plan; what it was before cannot be read'];
}

/** Writes only while the lock is ours: another runner may have taken over a machine that slept. */
const whileHeld = (journal: JournalWriter, lock: HeldLock): JournalWriter => ({
  append(events) {
    lock.check();
    return journal.append(events);
  },
  flushed: () => journal.flushed(),
  flushNow: () => journal.flushNow(),
  onFailure: (listener) => journal.onFailure(listener),
  close: () => journal.close(),
});

function remembering(
  journal: JournalWriter,
  earlier: readonly JournalEntry[],
): Pick<OpenedRun, 'journal' | 'ends' | 'entries'> {
  let first = earlier[0]?.hash;
  let last: { readonly seq: number; readonly hash: string } | undefined = earlier.at(-1);
  let all: JournalEntry[] | undefined = [...earlier];
  return {
    journal: {
      ...journal,
      append(events) {
        const entries = journal.append(events);
        first ??= entries[0]?.hash;
        last = entries.at(-1) ?? last;
        all?.push(...entries);
        if (all && all.length > mostAtHand) all = undefined;
        return entries;
      },
    },
    ends: () => (first === undefined || !last ? undefined : { first, seq: last.seq, hash: last.hash }),
    entries: () => all,
  };
}

/** Some megabytes. A longer journal is read when somebody wants all of it. */
const mostAtHand = 5000;

interface BeginTools {
  readonly reporter: Reporter;
  readonly jobs: number;
  readonly secrets: Secrets;
  /** What else is known from the beginning. */
  readonly more: readonly RecordedEvent[];
  /** Options that the next command needs too. */
  readonly again: string;
  /** How long tasks of a stage took in earlier runs. */
  earlierMs(stage: string): number | undefined;
}

/** Tells the view of the run, and writes its first event. */
export function beginRun(
  opened: OpenedRun,
  plan: Plan,
  { reporter, jobs, secrets, more, again, earlierMs }: BeginTools,
): RunState {
  let state = opened.previous;
  const info: RunInfo = {
    run: opened.id,
    dir: opened.dir,
    jobs,
    graceMs: defaultGraceMs,
    again,
    earlierMs,
    resumed: opened.previous !== undefined,
    ...(opened.previous ? { earlier: opened.previous } : {}),
    tail: (task) => tailOf(opened.dir, task, state).map(secrets.hide),
    lastLine(task) {
      const { stdoutFile, stderrFile } = logsOf(opened.dir, task, state);
      const line = lastLine(stdoutFile, stderrFile);
      if (line === undefined) return undefined;
      // Of a long line only the end was read, which may begin in the middle of a value.
      return secrets.hide(line.length > longLine ? line.slice(secrets.longest) : line);
    },
  };
  reporter.runStarted(plan, info);
  for (const entry of opened.journal.append([opened.event, ...more])) {
    state = apply(state, entry);
    reporter.recorded(entry);
  }
  opened.savePlan();
  return state!;
}

/** A line of so many letters may be one that `lastLine` had to cut. */
const longLine = 1000;
