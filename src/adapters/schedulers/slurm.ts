import type { Cancelled, Found, JobKey, JobOrder, JobStanding, Scheduler, Submitted } from '../../model/scheduler.js';
import { askTool, type ToolAnswer, type ToolQuestion, troubleOf } from './ask-tool.js';
import { SlurmAccounts } from './slurm-accounts.js';
import { slurmStanding } from './slurm-states.js';
import { sbatchOf } from './slurm-submit.js';
import { noteSubmitter, submissionDir } from './submitter.js';

export interface SlurmOptions {
  readonly commandTimeoutMs: number;
  readonly env: { readonly [name: string]: string };
}

/**
 * Slurm by its own programs. The controller is asked first (squeue, finished jobs included), then the accounts where there
 * are any (sacct), then the controller once more for single jobs (scontrol). None of them is waited for without limit: with
 * the controller down they hang for up to half a minute.
 */
export class SlurmScheduler implements Scheduler {
  readonly sharesFiles = true;
  readonly hasArrays = true;
  readonly hasChains = true;
  readonly #options: SlurmOptions;
  readonly #accounts: SlurmAccounts;

  constructor(options: SlurmOptions) {
    this.#options = { ...options, env: slurmEnvironment(options.env) };
    this.#accounts = new SlurmAccounts((run, env) => this.#ask(run, { env }));
  }

  async submit(orders: readonly JobOrder[]): Promise<Submitted> {
    const { run, stdin } = sbatchOf(orders);
    const [first] = orders as [JobOrder, ...JobOrder[]];
    const dir = submissionDir(first);
    const begun = (pid: number): void => noteSubmitter(dir, pid);
    const answer = await this.#ask(run, { stdin, env: first.passed, cwd: dir, begun });
    if (answer.kind === 'not-found') return { kind: 'refused', detail: troubleOf(answer, 'sbatch') };
    if (answer.kind !== 'exited' || answer.exitCode !== 0) {
      const detail = troubleOf(answer, 'sbatch');
      return saysNo(answer) ? { kind: 'refused', detail } : { kind: 'unsure', detail, ...unsentOf(answer) };
    }
    const id = /^(\d+)(?:;\S+)?$/.exec(answer.stdout.trim())?.[1];
    if (id === undefined)
      return { kind: 'unsure', detail: `sbatch said ${JSON.stringify(answer.stdout.slice(0, 80))}` };
    return { kind: 'submitted', ids: orders.map(({ batch }) => (batch ? `${id}_${batch.index}` : id)) };
  }

  async find({ tag, batch }: JobKey, sinceMs: number): Promise<Found> {
    const name = batch?.tag ?? tag;
    const queue = await this.#ask(['squeue', '-h', '-r', '-t', 'all', `--name=${name}`, '-o', '%i|%T|%r']);
    const rows = rowsOf(queue);
    if (!rows) return { kind: 'unreachable', detail: troubleOf(queue, 'squeue'), ...unsentOf(queue) };
    const accounts = await this.#accounts.byName(name, sinceMs);
    if (accounts.kind === 'trouble') return { kind: 'unreachable', detail: accounts.detail };
    const all = new Set([...rows.keys(), ...accounts.rows.keys()]);
    const ids = [...all].filter((id) => (batch ? id.endsWith(`_${batch.index}`) : !id.includes('_')));
    return { kind: 'found', ids: ids.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)) };
  }

  async states(ids: readonly string[], sinceMs: number): Promise<ReadonlyMap<string, JobStanding>> {
    const found = new Map<string, JobStanding>();
    for (let from = 0; from < ids.length; from += mostIds)
      await this.#statesOf(ids.slice(from, from + mostIds), sinceMs, found);
    return found;
  }

  async #statesOf(ids: readonly string[], sinceMs: number, found: Map<string, JobStanding>): Promise<void> {
    const queue = await this.#ask(['squeue', '-h', '-r', '-t', 'all', `--jobs=${ids.join(',')}`, '-o', '%i|%T|%r']);
    const rows = rowsOf(queue);
    if (!rows) {
      for (const id of ids) found.set(id, { kind: 'unreachable', detail: troubleOf(queue, 'squeue') });
      return;
    }
    const missing = ids.filter((id) => !rows.has(id));
    for (const id of ids) if (rows.has(id)) found.set(id, slurmStanding(rows.get(id)!));
    if (missing.length === 0) return;
    const accounts = await this.#accounts.byIds(missing, sinceMs);
    for (const id of missing) {
      const row = accounts.kind === 'rows' ? accounts.rows.get(id) : undefined;
      found.set(id, row ? slurmStanding(row) : await this.#byControl(id, accounts));
    }
  }

  async #byControl(id: string, accounts: Awaited<ReturnType<SlurmAccounts['byIds']>>): Promise<JobStanding> {
    const answer = await this.#ask(['scontrol', '-o', 'show', 'job', id]);
    if (answer.kind === 'exited' && answer.exitCode === 0) {
      const field = (name: string): string | undefined => new RegExp(`(?:^| )${name}=(\\S+)`).exec(answer.stdout)?.[1];
      const state = field('JobState');
      if (state !== undefined)
        return slurmStanding({ state, reason: field('Reason') ?? '', exit: field('ExitCode') ?? '' });
    }
    if (!isNoSuchJob(answer)) return { kind: 'unreachable', detail: troubleOf(answer, 'scontrol') };
    // The accounts might still know it; as long as they do not answer, nobody can say that it is gone.
    if (accounts.kind === 'trouble') return { kind: 'unreachable', detail: accounts.detail };
    return { kind: 'no-record', detail: 'Slurm has no record of the job' };
  }

  async fetchLogs(): Promise<void> {}

  async cancel(ids: readonly string[]): Promise<Cancelled> {
    for (let from = 0; from < ids.length; from += mostIds) {
      const answer = await this.#ask(['scancel', ...ids.slice(from, from + mostIds)]);
      if (answer.kind === 'exited' && (answer.exitCode === 0 || isNoSuchJob(answer))) continue;
      return { ok: false, detail: troubleOf(answer, 'scancel') };
    }
    return { ok: true };
  }

  #ask(
    run: readonly string[],
    more: Partial<Pick<ToolQuestion, 'stdin' | 'env' | 'cwd' | 'begun'>> = {},
  ): Promise<ToolAnswer> {
    const { commandTimeoutMs, env } = this.#options;
    return askTool({
      run,
      cwd: more.cwd ?? '/',
      env: { ...env, ...more.env },
      timeoutMs: commandTimeoutMs,
      ...(more.stdin === undefined ? {} : { stdin: more.stdin }),
      ...(more.begun ? { begun: more.begun } : {}),
    });
  }
}

/** An argument has a length. */
const mostIds = 500;

/** By id. Undefined when there was no answer, or one that is no list of jobs. */
function rowsOf(answer: ToolAnswer): ReadonlyMap<string, { state: string; reason: string }> | undefined {
  if (isNoSuchJob(answer)) return new Map();
  if (answer.kind !== 'exited' || answer.exitCode !== 0) return undefined;
  const rows = new Map<string, { state: string; reason: string }>();
  for (const line of answer.stdout.split('\n')) {
    if (line.trim() === '') continue;
    const match = /^(\d+(?:_\d+)?)\|([^|]*)\|(.*)$/.exec(line);
    if (!match) return undefined;
    rows.set(match[1]!, { state: match[2]!, reason: match[3]! });
  }
  return rows;
}

const isNoSuchJob = (answer: ToolAnswer): boolean =>
  answer.kind === 'exited' && answer.exitCode !== 0 && /Invalid job id specified/.test(answer.stderr);

/** Only a clear no is one: what sounds like a line that broke may have reached the controller. */
const saysNo = (answer: ToolAnswer): boolean =>
  answer.kind === 'exited' &&
  /submission failed:|unrecognized option|invalid option|Invalid --/i.test(answer.stderr) &&
  !/time[d ]*out|unable to contact|connect|communication|zero bytes|temporar|send\/recv|try again|slow/i.test(
    answer.stderr,
  );

/** Without a configuration its programs do not know whom to ask: they end before they have sent anything. */
function unsentOf(answer: ToolAnswer): { readonly unsent?: string } {
  if (answer.kind !== 'exited' || answer.exitCode === 0 || answer.exitCode >= 128) return {};
  const unsent = /: fatal: (Could not establish a configuration source|Unable to process configuration file)\b/.exec(
    answer.stderr,
  );
  return unsent ? { unsent: unsent[1]! } : {};
}

/** A runner may itself be a job: its own `SLURM_…` and `SBATCH_…` variables would be taken for wishes. */
export function slurmEnvironment(env: { readonly [name: string]: string }): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^(?:SLURM|SBATCH|SQUEUE|SACCT|SCANCEL)_/.test(name) || name === 'SLURM_CONF' || name === 'SLURM_CLUSTERS',
  );
  return Object.fromEntries(kept);
}
