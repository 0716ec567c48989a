import { createHash } from 'node:crypto';
import { apply, replay } from '../../src/journal/apply.js';
import { firstPrev, seal } from '../../src/journal/chain.js';
import type { AgentAnswer, AgentRequest } from '../../src/model/agents/agent.js';
import type { EphemeralEvent, JournalEntry, Outcome, RecordedEvent } from '../../src/model/events/event.js';
import type { Guard } from '../../src/model/files/guard.js';
import type { FileStamp } from '../../src/model/fingerprint.js';
import type { GateAnswer } from '../../src/model/gates/gate-answer.js';
import type { Agent } from '../../src/model/generated/config.js';
import type { Json } from '../../src/model/json.js';
import type { Plan, Task, TaskId } from '../../src/model/plan.js';
import type { AttemptFolder, Files, JournalWriter, Reporter } from '../../src/model/ports.js';
import type { Behaviour, StageContext, StageResult } from '../../src/model/stage.js';
import type { RunState } from '../../src/model/state/run-state.js';
import type { CallWords } from '../../src/run/agents/recall.js';
import type { LoggedError } from '../../src/run/attempt/attempt-ports.js';
import type { GatePorts } from '../../src/run/gates/gate-ports.js';
import { gateStanding } from '../../src/run/gates/standing.js';
import { RunLoop } from '../../src/run/loop.js';
import { type Selection, select } from '../../src/run/select.js';
import { StopSwitch } from '../../src/run/stop-switch.js';
import { readJson } from '../../src/source/json.js';
import { readYaml } from '../../src/source/yaml.js';
import { runStarted } from './events.js';
import { FakeClock } from './fake-clock.js';
import { FakeLedger } from './fake-ledger.js';

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

  content(path: string): string | undefined {
    return this.#files.get(path)?.content;
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
  readonly agents?: { readonly [name: string]: Agent };
  readonly escalate?: readonly string[];
  /** `budget.time`. */
  readonly timeMs?: number;
  readonly vars?: { readonly [name: string]: Json };
  readonly gates?: Partial<GatePorts>;
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
  /** What an attempt wrote to its error log, by its folder `task/attempt`. */
  said: (dir: string) => readonly string[] = () => [];
  answer: (request: AgentRequest) => Promise<AgentAnswer> = async () => ({
    ok: false,
    why: 'crashed',
    detail: 'nobody is there',
  });
  /** The files that have changed whenever somebody looks. */
  /** What is kept of calls, by folder. */
  readonly words = new Map<string, CallWords>();
  changed: readonly string[] = [];
  guard: Guard | undefined;
  ledger = new FakeLedger();
  readonly errors: LoggedError[] = [];
  /** What lies in the run's folder. */
  answers: () => readonly GateAnswer[] = () => [];
  readonly dropped: string[] = [];
  #running = 0;

  /** Runs the plan after whatever `entries` holds already, as a resumed run would. */
  async run(plan: Plan, options: RigOptions = {}): Promise<Exclude<Outcome, 'running'>> {
    let state: RunState | undefined;
    for (const entry of this.entries) state = apply(state, entry);
    const past = state ? new Map([...state.tasks].map(([id, task]) => [id, { state: { ...task } }])) : new Map();
    const journal = this.#journal(options.journalBreaksAt ?? Number.POSITIVE_INFINITY);
    const event = { ...runStarted(plan.tasks.length), ...(state ? { resumed: { changes: [] } } : {}) };
    for (const entry of journal.append([event])) state = apply(state, entry);
    const loop = new RunLoop({
      plan,
      run: '1-test',
      jobs: options.jobs ?? 2,
      vars: options.vars ?? {},
      behaviours: new Map([['fake', this.#behaviour()]]),
      state: state!,
      journal,
      reporter: this.#reporter(),
      decider: {
        files: this.files,
        selected: select(plan, { only: [], from: [], force: [], ...options.selection }),
        past: (id) => past.get(id),
        gateOf: (task, known, current) => gateStanding(task, known, { plan: current, files: this.files }),
      },
      gates: async () => this.#gates(options.gates),
      agents: options.agents ?? {},
      escalate: options.escalate ?? [],
      reach: async () => ({
        agents: { ask: (request) => this.answer(request) },
        ledger: this.ledger,
        newCall: () => `call-${this.ledger.calls.length + 1}`,
        flushed: async () => {},
        isFree: ({ backend }) => backend === 'replay',
        hide: (text) => text.replaceAll('hunter2', '[secret PASSWORD]'),
        watchFiles: async () => ({ changed: () => this.changed, putBack: () => undefined }),
        held: ['autoresearch.config.ts'],
        protect: [],
        folderOf: (dir) => dir,
        keptIn: () => ({}),
        wordsOf: (folder) => this.words.get(folder),
      }),
      ...(options.timeMs === undefined
        ? {}
        : {
            time: {
              ceiling: 'budget.time' as const,
              leftMs: options.timeMs - state!.workedMs,
              limitMs: options.timeMs,
            },
          }),
      stop: this.stop,
      facts: Promise.resolve(undefined),
      ports: {
        ...(this.guard ? { guard: this.guard } : {}),
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
        openAttempt: (task, attempt) => this.#folder(`${task.id}/${attempt}`),
        seeAttempt: (task, attempt) => this.#folder(`${task.id}/${attempt}`),
        prepareAttempt: () => {},
        discardPrepared: () => {},
        openFix: (task, attempt, name) => this.#folder(`${task.id}/${attempt}/${name}`),
        said: ({ dir }) => ({ stdout: [], stderr: this.said(dir) }),
        printedSince: () => () => ({ stdout: '', stderr: '', isCut: false }),
        showCall: () => {},
        failureWords: (failure) => failure.code,
        passedTo: () => ({}),
        scrub: async () => {},
        logError: (error) => void this.errors.push(error),
        random: () => 0,
        checkSchema: async (file, schema) => (schema === 'never' ? `${file} is not right` : undefined),
        readMustHaves: async () => ({ ok: false, problems: [] }),
        parseData: async (text) => ({ ok: true, value: JSON.parse(text) }),
        readValues: async () => ({ ok: false, why: 'no values here' }),
        evaluate: async () => ({ ok: false, why: 'no expressions here' }),
        drawFigure: async () => ({ ok: false, why: 'nothing is drawn here' }),
        render: async (text) => text,
      },
    });
    return loop.run();
  }

  #gates(own: Partial<GatePorts> = {}): GatePorts {
    let asked = 0;
    return {
      autonomous: false,
      answers: () => this.answers(),
      dropAnswer: (id) => void this.dropped.push(id),
      newQuestion: () => `q${this.entries.length}-${++asked}`,
      readData: async (path) => {
        const text = this.files.content(path);
        if (text === undefined) return { ok: false, why: `${path} is not there` };
        const read = await (path.endsWith('.json') ? readJson : readYaml)(path, text);
        return read.ok ? { ok: true, value: read.value.value } : { ok: false, why: `${path} cannot be read` };
      },
      readStart: (path, most) => {
        const text = this.files.content(path);
        return text === undefined ? 'missing' : { text: text.slice(0, most), bytes: text.length };
      },
      ...own,
    };
  }

  #folder(dir: string): AttemptFolder {
    return { dir, stdoutFile: `${dir}/stdout.log`, stderrFile: `${dir}/stderr.log`, log: () => {} };
  }

  get events(): RecordedEvent[] {
    return this.entries.map(({ seq: _seq, at: _at, prev: _prev, hash: _hash, ...event }) => event as RecordedEvent);
  }

  /** The run as its journal tells it. */
  get replayed(): RunState {
    return replay(this.entries)!;
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
        return events.map((event) => {
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
      },
      flushed: async () => {},
      flushNow: () => {},
      onFailure: () => {},
      close: async () => {},
    };
  }

  #reporter(): Reporter {
    return {
      runStarted: () => {},
      planExtended: () => {},
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
