import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import { markerName } from '../../src/adapters/command/environment.js';
import { type JournalReading, readJournal } from '../../src/adapters/journal/file-journal.js';
import { ended, Project } from '../support/project.js';

/** Another build can be put to the test, for instance one that was broken on purpose. */
const bin = process.env.CRASH_BIN ?? resolve(import.meta.dirname, '../../dist/bin.cjs');
const script = readFileSync(join(import.meta.dirname, 'task.sh'), 'utf8');

export type Preload = 'kill-at' | 'fail-at' | 'shift-clock';

export interface StartOptions {
  readonly preload?: Preload;
  readonly env?: Readonly<Record<string, string>>;
  /** What starts the program, for instance in another mount namespace. */
  readonly through?: readonly string[];
}

export interface CrashEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const made: string[] = [];
const running = new Set<ChildProcess>();

// Not when the process ends: vitest does not let its workers come to an end of their own.
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A project, and a folder beside it where its tasks note that they ran and where the state folder cannot be lost. */
export class CrashRoom {
  readonly project: Project;
  readonly outside: string;
  /** In front of every path of the state folder, when it can only be seen through another process. */
  stateRoot = '';

  /** `stages` is the config's map of stages. JSON, because it is the quickest to load. */
  constructor(stages: object, head: object = {}) {
    this.project = new Project({ 'task.sh': script });
    this.outside = mkdtempSync(join(tmpdir(), 'autoresearch-outside-'));
    made.push(this.project.dir, this.outside);
    this.configure(stages, head);
  }

  configure(stages: object, head: object = {}): void {
    this.project.write(
      'autoresearch.config.json',
      JSON.stringify({ name: 'study', passEnv: ['CRASH_*'], ...head, stages }),
    );
  }

  start(args: readonly string[], { preload, env, through = [] }: StartOptions = {}): ChildProcess {
    const load = preload === undefined ? [] : ['--require', join(import.meta.dirname, `${preload}.cjs`)];
    const [program, ...rest] = [...through, process.execPath, ...load, bin, ...args];
    const child = spawn(program!, rest, {
      cwd: this.project.dir,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.outside,
        LANG: 'C.UTF-8',
        CRASH_ROOM: this.outside,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    return child;
  }

  async run(args: readonly string[], options: StartOptions = {}): Promise<CrashEnd> {
    const child = this.start(args, options);
    const end = await ended(child);
    return { ...end, signal: child.signalCode };
  }

  exec(options: StartOptions = {}): Promise<CrashEnd> {
    return this.run(['exec', '--reporter', 'plain'], options);
  }

  flag(name: string): void {
    writeFileSync(join(this.outside, name), '');
  }

  /** How often each task ran, over all runs. */
  ran(): Record<string, number> {
    const file = join(this.outside, 'log');
    const counts: Record<string, number> = {};
    if (!existsSync(file)) return counts;
    for (const name of readFileSync(file, 'utf8').trimEnd().split('\n')) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  }

  stateFile(name: string, agentId = 'default'): string {
    return join(this.stateRoot, this.project.dir, '.autoresearch', agentId, name);
  }

  /** Oldest first. */
  runIds(agentId = 'default'): string[] {
    const runs = this.stateFile('runs', agentId);
    if (!existsSync(runs)) return [];
    return readdirSync(runs).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  }

  journalFile(run: string, agentId = 'default'): string {
    return this.stateFile(join('runs', run, 'journal.jsonl'), agentId);
  }

  /** The newest run's journal; throws when any run's journal is not whole. */
  journal(agentId = 'default'): JournalReading | undefined {
    let newest: JournalReading | undefined;
    for (const id of this.runIds(agentId)) {
      const file = this.journalFile(id, agentId);
      newest = existsSync(file) ? readJournal(file) : undefined;
    }
    return newest;
  }

  /** Tasks by status, as the newest journal tells; a result that was kept is as good as one that was made. */
  statuses(): Record<string, string> {
    const tasks = this.journal()?.state?.tasks ?? new Map();
    return Object.fromEntries(
      [...tasks.values()].map(({ id, status }) => [id, status === 'cached' ? 'passed' : status]).sort(),
    );
  }

  /** The project's own files, without the config and the script. */
  outputs(): Record<string, string> {
    const names = readdirSync(this.project.dir).filter((name) => name.endsWith('.txt'));
    return Object.fromEntries(names.sort().map((name) => [name, this.project.read(name)]));
  }

  /** Command lines of processes that were started in this room and still run. */
  processes(): string[] {
    // Of the few variables that all processes get, also those that start the commands.
    const room = `HOME=${this.outside}\0`;
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
      const environ = textOf(`/proc/${pid}/environ`);
      if (!environ.includes(room)) return [];
      const marker = new RegExp(`${markerName}=([^\\0]*)`).exec(environ)?.[1] ?? 'no marker';
      return [`${pid} (${marker}) ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 80)}`];
    });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // Gone in the meantime.
    return '';
  }
}

/** Works through all of them, a few at once; the first error ends it. */
export async function forEachOf<T>(items: Iterable<T>, work: (item: T) => Promise<void>, atOnce = 2): Promise<void> {
  const queue = [...items].reverse();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
    }),
  );
}
