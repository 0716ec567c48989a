import { createHash } from 'node:crypto';
import { apply } from '../../src/journal/apply.js';
import { firstPrev, seal } from '../../src/journal/chain.js';
import type { EphemeralEvent, JournalEntry, Outcome, RecordedEvent } from '../../src/model/event.js';
import type { FileStamp } from '../../src/model/fingerprint.js';
import type { Plan, Task, TaskId } from '../../src/model/plan.js';
import type { Files, JournalWriter, Reporter } from '../../src/model/ports.js';
import type { RunState } from '../../src/model/run-state.js';
import type { Behaviour, StageContext, StageResult } from '../../src/model/stage.js';
import { RunLoop } from '../../src/run/loop.js';
import { select, type Selection } from '../../src/run/select.js';
import { StopSwitch } from '../../src/run/stop-switch.js';
import { FakeClock } from './fake-clock.js';
import { runStarted } from './events.js';

export type TaskSketch = Partial<Task> & { readonly id: string };

export function planOf(sketches: readonly TaskSketch[]): Plan {
  const tasks = sketches.map(
    (sketch): Task => ({
      stage: sketch.id,
      uses: 'fake',
      behaviour: 'fake@1',
      options: {},
      needs: [],
      inferred: [],
      inputs: [],
      outputs: [],
      schema: {},
      env: {},
      cwd: '.',
      retry: { attempts: 1 },
      cache: true,
      description: { summary: '' },
      ...sketch,
    }),
  );
  return {
    version: 1,
    name: 'study',
    digest: 'digest',
    waves: wavesOf(tasks),
    tasks,
    worstCase: { attempts: 0, agentCalls: 0, usd: 0, timeMs: null },
  };
}

function wavesOf(tasks: readonly Task[]): TaskId[][] {
  const level = new Map<TaskId, number>();
  for (const task of tasks) level.set(task.id, Math.max(-1, ...task.needs.map((need) => level.get(need)!)) + 1);
  const waves: TaskId[][] = [];
  for (const [id, wave] of level) waves[wave] = [...(waves[wave] ?? []), id];
  return waves;
}

/** Files that live in memory; each write gives a new stamp. */
export class FakeFiles implements Files {
  #files = new Map<string, { content: string; stamp: FileStamp }>();
  #writes = 0;

  write(path: string, content: string): void {
    const time = String(++this.#writes);
    this.#files.set(path, { content, stamp: { size: content.length, mtimeNs: time, ctimeNs: time, ino: '1' } });
  }

  remove(path: string): void {
    this.#files.delete(path);
  }

  stamp(path: string): FileStamp | undefined {
    return this.#files.get(path)?.stamp;
  }

  digest(path: string): string {
    return createHash('sha256').update(this.#files.get(path)!.content).digest('hex');
  }

  expand(patterns: readonly string[]): readonly string[] {
    return [...new Set(patterns)].filter((path) => this.#files.has(path)).sort();
  }
}

export type Work = (context: StageContext) => Promise<StageResult>;

interface RigOptions {
  readonly jobs?: number;
  readonly selection?: Partial<Selection>;
  /** Fails the journal from this record on. */
  readonly journalBreaksAt?: number;
}

/** A run over fakes: in-process work, a clock that the test moves, a journal that can be cut and replayed. */
export class RunRig {
  readonly clock = new FakeClock();
  readonly files = new FakeFiles();
  readonly stop = new StopSwitch();
  readonly ephemeral: EphemeralEvent[] = [];
  readonly started: string[] = [];
  readonly most = { atOnce: 0 };
  entries: JournalEntry[] = [];
  work: Work = async () => ({ ok: true });
  #running = 0;

  /** Runs the plan after whatever `entries` holds already, as a resumed run would. */
  async run(plan: Plan, options: RigOptions = {}): Promise<Exclude<Outcome, 'running'>> {
    let state: RunState | undefined;
    for (const entry of this.entries) state = apply(state, entry);
    const past = state ? new Map([...state.tasks].map(([id, task]) => [id, { state: { ...task } }])) : new Map();
    const journal = this.#journal(options.journalBreaksAt ?? Number.POSITIVE_INFINITY);
    const event = { ...runStarted(plan.tasks.length), ...(state ? { resumed: { changes: [] } } : {}) };
    for (const entry of journal.append([event]).entries) state = apply(state, entry);
    const loop = new RunLoop({
      plan,
      run: '1-test',
      jobs: options.jobs ?? 2,
      vars: {},
      behaviours: new Map([['fake', this.#behaviour()]]),
      state: state!,
      journal,
      reporter: this.#reporter(),
      decider: {
        files: this.files,
        selected: select(plan, { only: [], from: [], force: [], ...options.selection }),
        past: (id) => past.get(id),
      },
      stop: this.stop,
      facts: Promise.resolve(undefined),
      ports: {
        commands: {
          start: () => {
            throw new Error('no commands here');
          },
          close: async () => {},
        },
        clock: this.clock,
        files: this.files,
        workspace: { root: '/project', readFile: async () => '', writeFile: async () => {} },
        watchIdle: (_folder, ms, onIdle) => this.clock.after(ms, onIdle),
        openAttempt: () => ({ stdoutFile: '', stderrFile: '', log: () => {} }),
        checkSchema: async (file, schema) => (schema === 'never' ? `${file} is not right` : undefined),
        render: async (text) => text,
      },
    });
    return loop.run();
  }

  get events(): RecordedEvent[] {
    return this.entries.map(({ seq: _seq, at: _at, prev: _prev, hash: _hash, ...event }) => event as RecordedEvent);
  }

  /** Task events in order, as short words: `a started`, `a finished`. */
  get story(): string[] {
    return this.events.flatMap((event) =>
      'task' in event ? [`${event.task} ${event.type.replace(/^(task|retry)-/, '')}`] : [],
    );
  }

  #behaviour(): Behaviour {
    return {
      name: 'fake',
      summary: 'work that the test does',
      version: '1',
      options: {},
      describe: () => ({ summary: '' }),
      run: async (_options, context) => {
        this.started.push(context.task);
        this.#running += 1;
        this.most.atOnce = Math.max(this.most.atOnce, this.#running);
        try {
          return await this.work(context);
        } finally {
          this.#running -= 1;
        }
      },
    };
  }

  #journal(breaksAt: number): JournalWriter {
    return {
      append: (events) => {
        const entries = events.map((event) => {
          if (this.entries.length >= breaksAt) throw new Error('the journal broke');
          const last = this.entries.at(-1);
          const { entry } = seal(event, {
            seq: this.entries.length,
            at: new Date(this.clock.now()).toISOString(),
            prev: last?.hash ?? firstPrev,
          });
          this.entries.push(entry);
          return entry;
        });
        return { entries, durable: Promise.resolve() };
      },
      hurry: () => {},
      close: async () => {},
    };
  }

  #reporter(): Reporter {
    return {
      runStarted: () => {},
      recorded: () => {},
      ephemeral: (event) => void this.ephemeral.push(event),
      close: async () => {},
    };
  }
}

/** Lets everything that can go on without time passing go on. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
