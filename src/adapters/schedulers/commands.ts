import { join } from 'node:path';
import type { Json } from '../../model/json.js';
import type {
  Cancelled,
  Found,
  JobHow,
  JobKey,
  JobOrder,
  JobStanding,
  Scheduler,
  Submitted,
} from '../../model/scheduler.js';
import { loadTemplates } from '../../source/template/template.js';
import { writePlain } from '../disk/plain-file.js';
import { askTool, type ToolAnswer, troubleOf } from './ask-tool.js';
import { jobScript } from './job-script.js';
import { noteSubmitter } from './submitter.js';

export interface ToolCommand {
  /** A template for the shell: `{{job.tag}}`, `{{job.script}}`, `{{job.id}}` …, each quoted for where it stands. */
  readonly run: string;
  readonly timeoutMs: number;
}

export interface CommandsOptions {
  readonly submit: ToolCommand;
  /** An expression; its first group, or all that it matches, in what `submit` printed is the id. */
  readonly id: string;
  /** Prints the ids of all jobs with a tag, a line each. */
  readonly find?: ToolCommand;
  readonly state: ToolCommand;
  /** Expressions that are looked for in what `state` printed. */
  readonly states: { readonly [state in JobWord]?: string };
  readonly logs?: ToolCommand;
  readonly cancel: ToolCommand;
  /** What templates may name besides the job. */
  readonly names: { readonly [name: string]: Json };
  readonly env: { readonly [name: string]: string };
  /** The text without the values of secrets. */
  hide?(text: string): string;
}

export type JobWord = 'waiting' | 'running' | 'gone' | JobHow;

/** Any other scheduler that has a command line, by templates. */
export class CommandsScheduler implements Scheduler {
  readonly sharesFiles = true;
  readonly hasArrays = false;
  readonly hasChains = false;
  readonly #options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  async submit(orders: readonly JobOrder[]): Promise<Submitted> {
    const ids: string[] = [];
    for (const order of orders) {
      if (order.after) return { kind: 'refused', detail: 'this cluster has no words for a job that waits for another' };
      const script = join(order.dir, 'job.sh');
      writePlain(script, jobScript(order, { id: ownId }));
      const filled = await this.#fill(this.#options.submit.run, submitNames(order, script));
      if (!filled.ok) return { kind: 'refused', detail: filled.detail };
      const answer = await this.#ask(filled.text, this.#options.submit, order);
      if (answer.kind !== 'exited' || answer.exitCode !== 0)
        return { kind: 'unsure', detail: troubleOf(answer, 'submit') };
      const match = new RegExp(this.#options.id, 'm').exec(answer.stdout);
      const id = (match?.[1] ?? match?.[0])?.trim();
      if (!id)
        return {
          kind: 'unsure',
          detail: `no id in what submit printed: ${JSON.stringify(answer.stdout.slice(0, 80))}`,
        };
      ids.push(id);
    }
    return { kind: 'submitted', ids };
  }

  async find({ tag }: JobKey): Promise<Found> {
    const { find } = this.#options;
    if (!find) return { kind: 'cannot', detail: 'the cluster has no "find" command that looks for a tag' };
    const filled = await this.#fill(find.run, { tag });
    if (!filled.ok) return { kind: 'cannot', detail: filled.detail };
    const answer = await this.#ask(filled.text, find);
    if (answer.kind !== 'exited' || answer.exitCode !== 0)
      return { kind: 'unreachable', detail: troubleOf(answer, 'find') };
    return {
      kind: 'found',
      ids: answer.stdout
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    };
  }

  async states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStanding>> {
    const found = new Map<string, JobStanding>();
    for (const id of ids) found.set(id, await this.#standing(id));
    return found;
  }

  async #standing(id: string): Promise<JobStanding> {
    const { state, states } = this.#options;
    const filled = await this.#fill(state.run, { id });
    if (!filled.ok) return { kind: 'unreachable', detail: filled.detail };
    const answer = await this.#ask(filled.text, state);
    if (answer.kind !== 'exited') return { kind: 'unreachable', detail: troubleOf(answer, 'state') };
    const text = `${answer.stdout}\n${answer.stderr}`;
    const fits = (Object.keys(states) as JobWord[]).filter((word) => new RegExp(states[word]!, 'm').test(text));
    // A command that failed can at most say that there is no such job.
    const word = answer.exitCode === 0 || fits[0] === 'gone' ? fits[0] : undefined;
    const said = JSON.stringify(answer.stdout.trim().slice(0, 80));
    if (word === undefined) {
      const detail =
        answer.exitCode === 0 ? `state printed ${said}, which none of "states" fits` : troubleOf(answer, 'state');
      return { kind: 'unreachable', detail };
    }
    if (fits.length > 1)
      return { kind: 'unreachable', detail: `state printed ${said}, which fits ${fits.join(' and ')}` };
    if (word === 'gone') return { kind: 'no-record', detail: 'the scheduler has no record of the job' };
    if (word === 'waiting' || word === 'running') return { kind: word, word };
    return { kind: 'ended', how: word, word };
  }

  async fetchLogs(id: string, dir: string): Promise<void> {
    const { logs } = this.#options;
    if (!logs) return;
    const filled = await this.#fill(logs.run, { id });
    const answer = filled.ok ? await this.#ask(filled.text, logs) : undefined;
    if (answer?.kind !== 'exited' || answer.exitCode !== 0) return;
    writePlain(join(dir, 'scheduler.log'), this.#options.hide?.(answer.stdout) ?? answer.stdout);
  }

  async cancel(ids: readonly string[]): Promise<Cancelled> {
    const { cancel } = this.#options;
    for (const id of ids) {
      // Who has ended needs no ending, and many tools complain of it.
      const before = await this.#standing(id);
      if (before.kind === 'ended' || before.kind === 'no-record') continue;
      const filled = await this.#fill(cancel.run, { id });
      if (!filled.ok) return { ok: false, detail: filled.detail };
      const answer = await this.#ask(filled.text, cancel);
      if (answer.kind !== 'exited' || answer.exitCode !== 0) return { ok: false, detail: troubleOf(answer, 'cancel') };
    }
    return { ok: true };
  }

  #ask(run: string, { timeoutMs }: ToolCommand, order?: JobOrder): Promise<ToolAnswer> {
    const env = { ...this.#options.env, ...order?.passed };
    if (!order) return askTool({ run, cwd: '/', env, timeoutMs });
    return askTool({ run, cwd: order.dir, env, timeoutMs, begun: (pid) => noteSubmitter(order.dir, pid) });
  }

  async #fill(
    text: string,
    job: { readonly [name: string]: Json },
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string }> {
    const templates = await loadTemplates([text]);
    const filled = templates.render(text, { ...this.#options.names, job }, { mode: 'shell' });
    if (filled.ok) return { ok: true, text: String(filled.value.value) };
    return { ok: false, detail: filled.error.map(({ message }) => message).join('; ') };
  }
}

/** What the schedulers that we know call a job inside of it. */
const ownId = '"${PBS_JOBID:-${LSB_JOBID:-${COBALT_JOBID:-${JOB_ID:-}}}}"';

/** What is not stated is empty, so that `{{#if job.gpus}}` can ask for it. */
function submitNames({ tag, label, dir, resources }: JobOrder, script: string): { readonly [name: string]: Json } {
  const { timeMs, extra: _extra, ...rest } = resources;
  const seconds = timeMs === undefined ? '' : Math.ceil(timeMs / 1000);
  return { tag, label, script, dir, ...unstated, ...rest, seconds };
}

const unstated = { partition: '', account: '', qos: '', gpus: '', cpus: '', memory: '', image: '' };
