import type { JobHow, JobStanding } from '../../model/scheduler.js';

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface KubeJob {
  readonly metadata?: { readonly name?: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly active?: number; readonly ready?: number };
}

export interface KubePod {
  readonly metadata?: { readonly labels?: { readonly [name: string]: string }; readonly creationTimestamp?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly terminated?: { readonly exitCode?: number; readonly reason?: string };
        readonly waiting?: { readonly reason?: string };
      };
    }[];
  };
}

/** How a Job stands, with its newest pod as the witness of its exit code. */
export function kubeStanding({ status = {} }: KubeJob, pod: KubePod | undefined): JobStanding {
  const isTrue = (type: string): Condition | undefined =>
    (status.conditions ?? []).find((each) => each.type === type && each.status === 'True');
  const ended = pod?.status?.containerStatuses?.[0]?.state?.terminated;
  const code = ended?.exitCode === undefined ? {} : { exitCode: ended.exitCode };
  if (isTrue('Complete')) {
    // The two must agree; a container that failed in a Job that is complete is no success.
    const how: JobHow = ended?.exitCode === undefined || ended.exitCode === 0 ? 'completed' : 'failed';
    return { kind: 'ended', how, word: 'Complete', ...code };
  }
  const failed = isTrue('Failed');
  if (failed) {
    const reason = ended?.reason ?? pod?.status?.reason ?? failed.reason ?? '';
    return { kind: 'ended', how: howOf(failed, pod), word: failed.reason ?? 'Failed', detail: reason, ...code };
  }
  const stuck = pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason;
  if (stuck !== undefined && neverBegins.test(stuck)) return { kind: 'waiting', word: stuck, limbo: true };
  if (isTrue('Suspended')) return { kind: 'waiting', word: 'Suspended' };
  const phase = pod?.status?.phase;
  if (phase === 'Running') return { kind: 'running', word: 'Running' };
  if (phase === undefined || phase === 'Pending') return { kind: 'waiting', word: stuck ?? 'Pending' };
  // The pod is over and the Job does not know yet.
  if (phase === 'Succeeded' || phase === 'Failed') return { kind: 'running', word: phase };
  return { kind: 'unreachable', detail: `the pod is in the phase ${JSON.stringify(phase)}, which nobody here knows` };
}

const neverBegins =
  /^(?:ErrImagePull|ImagePullBackOff|InvalidImageName|CreateContainerConfigError|CreateContainerError)$/;

function howOf({ reason }: Condition, pod: KubePod | undefined): JobHow {
  if (reason === 'DeadlineExceeded') return 'timed-out';
  const ended = pod?.status?.containerStatuses?.[0]?.state?.terminated;
  if (ended?.reason === 'OOMKilled') return 'out-of-memory';
  if (/^(?:NodeLost|NodeShutdown|NodeAffinity|Terminated|Evicted|Preempting)$/.test(pod?.status?.reason ?? ''))
    return 'node-failed';
  return /^(?:StartError|ContainerCannotRun)$/.test(ended?.reason ?? '') ? 'not-started' : 'failed';
}
