import { join } from 'node:path';
import type { Cancelled, Found, JobKey, JobOrder, JobStanding, Scheduler, Submitted } from '../../model/scheduler.js';
import { writePlain } from '../disk/plain-file.js';
import { askTool, type ToolAnswer, type ToolQuestion, troubleOf } from './ask-tool.js';
import { jobManifest, type PodOptions, tagLabel } from './kubernetes-manifest.js';
import { type KubeJob, type KubePod, kubeStanding } from './kubernetes-state.js';
import { noteSubmitter } from './submitter.js';

export interface KubernetesOptions extends PodOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly commandTimeoutMs: number;
  readonly env: { readonly [name: string]: string };
  /** The text without the values of secrets. */
  hide?(text: string): string;
}

/** Kubernetes by kubectl. The tag is the name of the Job, so that a second one with it cannot be. */
export class KubernetesScheduler implements Scheduler {
  readonly hasArrays = false;
  readonly hasChains = false;
  readonly sharesFiles: boolean;
  readonly #options: KubernetesOptions;
  /** Deleted by us: that they are gone is what was wanted. */
  readonly #deleted = new Set<string>();

  constructor(options: KubernetesOptions) {
    this.#options = options;
    this.sharesFiles = options.shared;
  }

  async submit(orders: readonly JobOrder[]): Promise<Submitted> {
    for (const order of orders) {
      if (order.after) return { kind: 'refused', detail: 'Kubernetes has no jobs that wait for each other' };
      if ((order.resources.image ?? this.#options.image) === undefined)
        return { kind: 'refused', detail: 'neither the stage nor the cluster names an image' };
      const stdin = JSON.stringify(jobManifest(order, this.#options));
      const answer = await this.#ask(['create', '-f', '-'], { stdin, begun: (pid) => noteSubmitter(order.dir, pid) });
      if (answer.kind === 'exited' && answer.exitCode === 0) continue;
      const detail = troubleOf(answer, 'kubectl create');
      return { kind: saysNo(answer) ? 'refused' : 'unsure', detail };
    }
    return { kind: 'submitted', ids: orders.map(({ tag }) => tag) };
  }

  async find({ tag }: JobKey): Promise<Found> {
    const found = await this.#list<KubeJob>('jobs', [`--selector=${tagLabel}=${tag}`]);
    if (!found.ok) return { kind: 'unreachable', detail: found.detail };
    return { kind: 'found', ids: found.items.flatMap(({ metadata }) => (metadata?.name === tag ? [tag] : [])) };
  }

  async states(ids: readonly string[]): Promise<ReadonlyMap<string, JobStanding>> {
    const selector = `--selector=${tagLabel} in (${ids.join(',')})`;
    const [jobs, pods] = [await this.#list<KubeJob>('jobs', [selector]), await this.#list<KubePod>('pods', [selector])];
    const trouble = !jobs.ok ? jobs.detail : !pods.ok ? pods.detail : undefined;
    if (!jobs.ok || !pods.ok) return new Map(ids.map((id) => [id, { kind: 'unreachable', detail: trouble! }]));
    const standings = new Map<string, JobStanding>();
    for (const id of ids) {
      const job = jobs.items.find(({ metadata }) => metadata?.name === id);
      const own = pods.items.filter(({ metadata }) => metadata?.labels?.[tagLabel] === id);
      if (job) standings.set(id, kubeStanding(job, own.sort(newestFirst)[0]));
      else if (this.#deleted.has(id)) standings.set(id, { kind: 'ended', how: 'cancelled', word: 'Deleted' });
      else standings.set(id, { kind: 'no-record', detail: 'there is no such Job in the namespace' });
    }
    return standings;
  }

  async fetchLogs(id: string, dir: string): Promise<void> {
    if (this.sharesFiles) return;
    const answer = await this.#ask(['logs', `job/${id}`, '--limit-bytes=16000000']);
    if (answer.kind === 'exited' && answer.exitCode === 0)
      writePlain(join(dir, 'stdout.log'), this.#options.hide?.(answer.stdout) ?? answer.stdout);
  }

  async cancel(ids: readonly string[]): Promise<Cancelled> {
    // A deletion without a name is a mistake, whatever kubectl makes of it.
    if (ids.length === 0) return { ok: true };
    const answer = await this.#ask([
      'delete',
      'job',
      ...ids,
      '--ignore-not-found',
      '--cascade=foreground',
      '--wait=false',
    ]);
    // Gone already is as good.
    const isGone = answer.kind === 'exited' && (answer.exitCode === 0 || /\bNotFound\b|not found/.test(answer.stderr));
    if (!isGone) return { ok: false, detail: troubleOf(answer, 'kubectl delete') };
    for (const id of ids) this.#deleted.add(id);
    return { ok: true };
  }

  async #list<T>(
    what: 'jobs' | 'pods',
    words: readonly string[],
  ): Promise<{ readonly ok: true; readonly items: readonly T[] } | { readonly ok: false; readonly detail: string }> {
    const answer = await this.#ask(['get', what, ...words, '-o', 'json']);
    if (answer.kind !== 'exited' || answer.exitCode !== 0)
      return { ok: false, detail: troubleOf(answer, `kubectl get ${what}`) };
    try {
      const { items } = JSON.parse(answer.stdout) as { items?: readonly T[] };
      if (Array.isArray(items)) return { ok: true, items };
    } catch {
      // Said below.
    }
    return { ok: false, detail: `kubectl get ${what} said ${JSON.stringify(answer.stdout.slice(0, 80))}` };
  }

  #ask(words: readonly string[], more: Partial<Pick<ToolQuestion, 'stdin' | 'begun'>> = {}): Promise<ToolAnswer> {
    const { namespace, context, env, commandTimeoutMs } = this.#options;
    const run = [
      'kubectl',
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      ...words,
    ];
    return askTool({ run, cwd: '/', env, timeoutMs: commandTimeoutMs, ...more });
  }
}

const newestFirst = (a: KubePod, b: KubePod): number =>
  (b.metadata?.creationTimestamp ?? '').localeCompare(a.metadata?.creationTimestamp ?? '');

/** What the server refused surely is not there; one that exists already may be ours. */
const saysNo = (answer: ToolAnswer): boolean =>
  answer.kind === 'not-found' ||
  (answer.kind === 'exited' &&
    /\((?:Forbidden|Invalid|BadRequest|NotFound|Unauthorized)\)|is invalid:|error validating|forbidden:/.test(
      answer.stderr,
    ));
