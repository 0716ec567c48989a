import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Cancelled, Found, JobKey, JobOrder, JobStanding, Scheduler, Submitted } from '../../model/scheduler.js';
import { endMarked } from '../agents/marked-processes.js';
import { findProgram } from '../command/find-program.js';
import { writePlain } from '../disk/plain-file.js';
import { isAlive, isNear } from '../process/known-process.js';
import { readExitFile, readText, startsOf } from './job-files.js';
import { parseProcess } from './local-process.js';
import { type LocalPlaces, localScript } from './local-script.js';

export interface LocalOptions extends LocalPlaces {
  /** The folder of a job. */
  dirOf(tag: string): string;
  readonly env: { readonly [name: string]: string };
}

/** In the environment of a job and of all that it starts. */
const markName = 'AUTORESEARCH_JOB';

/**
 * Jobs of this machine: detached processes that outlive the runner and queue up for slots by themselves. The id of a job is
 * its tag, and its folder tells all about it. Two processes for one tag do no harm: only the one that claims it works.
 */
export class LocalScheduler implements Scheduler {
  readonly sharesFiles = true;
  readonly hasArrays = false;
  readonly hasChains = false;
  readonly #options: LocalOptions;
  /** Started by us and perhaps not yet far enough to have claimed their tags. */
  readonly #young = new Map<string, number>();

  constructor(options: LocalOptions) {
    this.#options = options;
  }

  async submit(orders: readonly JobOrder[]): Promise<Submitted> {
    const { env, slots, gpus } = this.#options;
    const bash = findProgram('bash', '/', env.PATH);
    const missing =
      bash.kind === 'found' ? (findProgram('flock', '/', env.PATH).kind === 'found' ? '' : 'flock') : 'bash';
    if (bash.kind !== 'found' || missing !== '')
      return { kind: 'refused', detail: `jobs of this machine need ${missing}` };
    for (const order of orders) {
      const wanted = order.resources.gpus ?? 0;
      if (wanted > gpus)
        return { kind: 'refused', detail: `the job wants ${wanted} GPUs and there are slots for ${gpus}` };
      if (order.after) return { kind: 'refused', detail: 'jobs of this machine do not wait for each other' };
      if (slots < 1) return { kind: 'refused', detail: 'there are no slots' };
    }
    for (const order of orders) {
      const started = await this.#start(order, bash.file);
      if (started !== undefined) return { kind: 'unsure', detail: started };
    }
    return { kind: 'submitted', ids: orders.map(({ tag }) => tag) };
  }

  #start(order: JobOrder, bash: string): Promise<string | undefined> {
    const { env } = this.#options;
    const script = join(order.dir, 'job.sh');
    writePlain(script, localScript(order, this.#options));
    return new Promise((resolve) => {
      const child = spawn(bash, [script], {
        cwd: order.dir,
        env: { ...env, ...order.passed, [markName]: order.tag },
        detached: true,
        stdio: 'ignore',
      });
      child.on('error', (error) => resolve(`bash could not be started: ${error.message}`));
      child.on('spawn', () => {
        this.#young.set(order.tag, Date.now());
        child.unref();
        resolve(undefined);
      });
    });
  }

  async find({ tag }: JobKey): Promise<Found> {
    return { kind: 'found', ids: existsSync(join(this.#options.dirOf(tag), 'claim')) ? [tag] : [] };
  }

  async states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStanding>> {
    return new Map(ids.map((id) => [id, this.#standing(id)]));
  }

  #standing(tag: string): JobStanding {
    const dir = this.#options.dirOf(tag);
    const written = readText(join(dir, 'claim', 'process'));
    const found = written === undefined ? undefined : parseProcess(written);
    if (!found) return this.#withoutProcess(tag, dir);
    // A job whose process cannot be asked from here may be at work or not.
    if (found.host !== hostname()) return { kind: 'unreachable', detail: `the job is on ${found.host}` };
    const rebooted = !isNear(found);
    // First whether it lives, then what it left: the other way round it could end in between.
    if (!rebooted && isAlive(found)) {
      const state = startsOf(dir) > 0 ? 'running' : 'waiting';
      return { kind: state, word: state === 'running' ? 'RUNNING' : 'QUEUED' };
    }
    return (
      this.#ended(tag, dir) ?? {
        kind: 'ended',
        how: rebooted ? 'node-failed' : 'failed',
        word: rebooted ? 'REBOOTED' : 'KILLED',
      }
    );
  }

  #ended(tag: string, dir: string): JobStanding | undefined {
    if (existsSync(join(dir, 'cancelled'))) return { kind: 'ended', how: 'cancelled', word: 'CANCELLED' };
    if (existsSync(join(dir, 'timed-out'))) return { kind: 'ended', how: 'timed-out', word: 'TIMEOUT' };
    const exit = readExitFile(dir, tag);
    if (exit.kind !== 'exited') return undefined;
    const { exitCode } = exit;
    return { kind: 'ended', how: exitCode === 0 ? 'completed' : 'failed', word: 'EXITED', exitCode };
  }

  #withoutProcess(tag: string, dir: string): JobStanding {
    if (existsSync(join(dir, 'cancelled'))) return { kind: 'ended', how: 'cancelled', word: 'CANCELLED' };
    const since = this.#young.get(tag);
    if (since !== undefined && Date.now() - since < patienceMs) return { kind: 'waiting', word: 'STARTING' };
    return { kind: 'no-record', detail: 'no process has said that it works on this job' };
  }

  async fetchLogs(): Promise<void> {}

  async cancel(ids: readonly string[]): Promise<Cancelled> {
    await Promise.all(ids.map((id) => this.#end(id)));
    return { ok: true };
  }

  /** Whoever is only about to begin finds the note. What outlived a wrapper that was killed is ended as well. */
  async #end(tag: string): Promise<void> {
    const dir = this.#options.dirOf(tag);
    if (!existsSync(dir) || this.#ended(tag, dir)) return;
    const written = readText(join(dir, 'claim', 'process'));
    const found = written === undefined ? undefined : parseProcess(written);
    const lives = found !== undefined && isNear(found) && isAlive(found);
    if (lives || !found) writeFileSync(join(dir, 'cancelled'), '');
    if (lives) {
      signalGroup(found.pid, 'SIGTERM');
      for (let waitedMs = 0; waitedMs < graceMs && isAlive(found); waitedMs += lookEveryMs)
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    await endMarked(found ? [found.pid] : [], { variable: markName, matches: (value) => value === tag });
  }
}

/** How long a process may take from its start to its first line. */
const patienceMs = 60_000;
const graceMs = 5_000;
const lookEveryMs = 20;

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone meanwhile.
  }
}
