import type { ChainedErrand } from './job-chain.js';
import type { JobErrand, JobPorts } from './job-errand.js';
import { jobLabel } from './job-names.js';
import type { Waiting } from './submit-jobs.js';

interface OrderParts {
  readonly run: string;
  readonly order: string;
  readonly tag: string;
  readonly ports: JobPorts;
}

/** An errand as it is handed over, and as the journal will know it. */
export function waitingJob(
  errand: Omit<JobErrand, 'folder'> & Partial<Pick<ChainedErrand, 'after'>>,
  { run, order, tag, ports }: OrderParts,
): Pick<Waiting, 'stage' | 'order' | 'submitting'> {
  const { task, attempt, job, cluster, resources, before, because, set, after, inputs, cwd, env, passed } = errand;
  const { gpus, timeMs } = resources;
  const secrets = ports.secretsAmong?.(Object.keys(passed)) ?? [];
  return {
    stage: task.stage,
    order: {
      tag,
      label: jobLabel(run, errand),
      dir: ports.folderOf(tag),
      run: errand.run,
      cwd,
      env,
      passed,
      ...(secrets.length > 0 ? { secrets } : {}),
      resources,
      ...(after ? { after: after.ids } : {}),
    },
    submitting: {
      type: 'job-submitting',
      task: task.id,
      attempt,
      job,
      tag,
      cluster,
      order,
      ...(gpus ? { gpus } : {}),
      ...(because ? { because } : {}),
      ...(after ? { after: after.tags, inputs } : {}),
      ...(set && Object.keys(set).length > 0 ? { set } : {}),
      ...(timeMs === undefined ? {} : { limitMs: timeMs }),
      before,
    },
  };
}
