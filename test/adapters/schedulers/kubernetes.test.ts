import { afterAll, describe, expect, it } from 'vitest';
import { KubernetesScheduler } from '../../../src/adapters/schedulers/kubernetes.js';
import { kubeStanding } from '../../../src/adapters/schedulers/kubernetes-state.js';
import { FakeBatch } from '../../support/fake-batch.js';
import { Room, schedulerContract, standing, submitted } from './scheduler-contract.js';

const kubernetes = (batch: FakeBatch, root: string, shared: boolean, commandTimeoutMs = 20_000): KubernetesScheduler =>
  new KubernetesScheduler({
    image: 'lab/train:1',
    shared,
    root,
    workdir: root,
    volumes: [],
    namespace: 'lab',
    commandTimeoutMs,
    env: batch.env,
  });

for (const shared of [true, false]) {
  schedulerContract(`kubernetes, with a fake kubectl, files ${shared ? '' : 'not '}shared`, async (room) => ({
    scheduler: kubernetes(new FakeBatch(room.dir), room.dir, shared),
    close: () => {},
  }));
}

describe('kubernetes', () => {
  const room = new Room();
  const batch = new FakeBatch(room.dir);
  afterAll(() => room.close());

  it('asks for a Job that is tried once, with its tag, its deadline and what it needs', async () => {
    const order = room.order('true', { resources: { gpus: 2, cpus: 4, memory: '16G', timeMs: 90_500 } });
    await submitted(kubernetes(batch, room.dir, true), order);
    const labels = { 'autoresearch.dev/tag': order.tag, 'app.kubernetes.io/managed-by': 'autoresearch' };
    expect(batch.manifest).toMatchObject({
      metadata: { name: order.tag, labels, annotations: { 'autoresearch.dev/job': order.label } },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: 91,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: 'Never',
            containers: [
              { image: 'lab/train:1', resources: { limits: { 'nvidia.com/gpu': '2', cpu: '4', memory: '16Gi' } } },
            ],
          },
        },
      },
    });
    expect(batch.calls[0]).toBe('kubectl --namespace=lab create -f -');
  });

  it('does not take for an answer what is none', async () => {
    const kube = kubernetes(batch, room.dir, true, 1500);
    const [id] = await submitted(kube, room.order('sleep 100'));
    batch.next('get garbage');
    expect(await standing(kube, id!)).toMatchObject({
      kind: 'unreachable',
      detail: expect.stringContaining('kubectl get jobs said'),
    });
    batch.next('get empty');
    expect(await standing(kube, id!)).toEqual({ kind: 'unreachable', detail: 'kubectl get jobs said ""' });
    batch.next('get hang');
    expect(await standing(kube, id!)).toEqual({
      kind: 'unreachable',
      detail: 'kubectl get jobs did not answer within 1.5 s',
    });
    batch.next('create hang');
    expect(await kube.submit([room.order('true')])).toEqual({
      kind: 'unsure',
      detail: 'kubectl create did not answer within 1.5 s',
    });
    batch.next('create fail Error from server (Forbidden): jobs is forbidden: no');
    expect(await kube.submit([room.order('true')])).toMatchObject({ kind: 'refused' });
    batch.next('delete fail Error from server (NotFound): jobs.batch "x" not found');
    expect(await kube.cancel(['x'])).toEqual({ ok: true });
    batch.next('delete fail error: resource(s) were provided, but no name was specified');
    expect(await kube.cancel([])).toEqual({ ok: true });
    // That answer is still waiting for somebody who asks.
    expect(await kube.cancel(['y'])).toMatchObject({ ok: false });
    await kube.cancel([id!]);
  });

  it('maps what Jobs and pods can say', () => {
    const failed = (reason: string) => ({ status: { conditions: [{ type: 'Failed', status: 'True', reason }] } });
    const pod = (exitCode: number, reason: string) => ({
      status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode, reason } } }] },
    });
    expect(kubeStanding(failed('DeadlineExceeded'), undefined)).toMatchObject({ how: 'timed-out' });
    expect(kubeStanding(failed('BackoffLimitExceeded'), pod(137, 'OOMKilled'))).toMatchObject({
      how: 'out-of-memory',
      exitCode: 137,
    });
    expect(kubeStanding(failed('BackoffLimitExceeded'), { status: { reason: 'Evicted' } })).toMatchObject({
      how: 'node-failed',
    });
    expect(kubeStanding(failed('BackoffLimitExceeded'), pod(3, 'Error'))).toMatchObject({ how: 'failed', exitCode: 3 });
    expect(kubeStanding(failed('BackoffLimitExceeded'), pod(128, 'StartError'))).toMatchObject({ how: 'not-started' });
    // A Job that calls itself complete although its container failed is no success.
    const complete = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
    expect(kubeStanding(complete, pod(1, 'Error'))).toMatchObject({ how: 'failed' });
    const pulling = {
      status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] },
    };
    expect(kubeStanding({}, pulling)).toEqual({ kind: 'waiting', word: 'ImagePullBackOff', limbo: true });
    expect(kubeStanding({}, { status: { phase: 'Unknown' } })).toMatchObject({ kind: 'unreachable' });
  });
});
