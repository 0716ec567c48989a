import { relative } from 'node:path';
import type { Json } from '../../model/json.js';
import type { JobOrder } from '../../model/scheduler.js';
import { singleQuoted } from '../../source/shell-quote.js';
import { jobScript } from './job-script.js';

export interface PodOptions {
  readonly image?: string;
  /** The project's folder is mounted at the same path. */
  readonly shared: boolean;
  /** The project's folder on this machine, and where its counterpart is in the image. */
  readonly root: string;
  readonly workdir?: string;
  /** Claims of volumes, and where they are mounted. */
  readonly volumes: readonly { readonly claim: string; readonly path: string }[];
}

/** On everything that belongs to a job; its value is the tag. */
export const tagLabel = 'autoresearch.dev/tag';

/**
 * A Job that is tried once: whether it is tried again is our decision, not Kubernetes'. Only a pod that was taken away for a
 * reason of the cluster's own is replaced.
 */
export function jobManifest(order: JobOrder, options: PodOptions): Json {
  const { tag, label, resources } = order;
  const image = resources.image ?? options.image;
  const labels = { [tagLabel]: tag, 'app.kubernetes.io/managed-by': 'autoresearch' };
  const limits = {
    ...(resources.gpus ? { 'nvidia.com/gpu': String(resources.gpus) } : {}),
    ...(resources.cpus === undefined ? {} : { cpu: String(resources.cpus) }),
    ...(resources.memory === undefined ? {} : { memory: quantity(resources.memory) }),
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: tag, labels, annotations: { 'autoresearch.dev/job': label } },
    spec: {
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      ...(resources.timeMs === undefined ? {} : { activeDeadlineSeconds: Math.ceil(resources.timeMs / 1000) }),
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          volumes: options.volumes.map(({ claim }, index) => ({
            name: `volume-${index}`,
            persistentVolumeClaim: { claimName: claim },
          })),
          containers: [
            {
              name: 'job',
              image: image ?? '',
              command: ['sh', '-c', scriptFor(order, options)],
              env: Object.entries(order.passed).map(([name, value]) => ({ name, value })),
              resources: { limits },
              volumeMounts: options.volumes.map(({ path }, index) => ({ name: `volume-${index}`, mountPath: path })),
            },
          ],
        },
      },
    },
  };
}

/** Without shared files there is nowhere to leave an exit file: the container's exit code is the second witness. */
function scriptFor(order: JobOrder, { shared, root, workdir }: PodOptions): string {
  // The name of a Job is unique, so every pod that bears the tag is of this one.
  if (shared) return `${jobScript(order, { id: '"$tag"' })}`;
  const words = typeof order.run === 'string' ? ['sh', '-c', order.run] : order.run;
  const inside = relative(root, order.cwd);
  const cwd = workdir === undefined ? inside : inside === '' ? workdir : `${workdir}/${inside}`;
  return [
    ...Object.entries(order.env).map(([name, value]) => `export ${name}=${singleQuoted(value)}`),
    ...(cwd === '' ? [] : [`cd ${singleQuoted(cwd)} || exit 126`]),
    `exec ${words.map(singleQuoted).join(' ')}`,
    '',
  ].join('\n');
}

/** `16G` is sixteen times 2^30 to Slurm and everybody else here, and that is `16Gi`. */
const quantity = (memory: string): string => memory.replace(/^(\d+)([KMGT])$/, '$1$2i');
