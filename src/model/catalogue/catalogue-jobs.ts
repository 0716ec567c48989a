/** AR61x: clusters and jobs. `catalogue` holds these among the others. */
export const jobCatalogue = {
  AR610: {
    title: 'A setting of another type of cluster',
    cause:
      'A cluster has a key that belongs to another type, so it would have no effect: `slots` on Slurm, `partition` on Kubernetes.',
    fix: 'Take the key out, or correct `type`. docs/clusters.md lists the keys of each type.',
  },
  AR611: {
    title: 'A cluster lacks what its type needs',
    cause:
      'A cluster of the type `commands` must say how to submit, ask and cancel; one of the type `kubernetes` needs an image.',
    fix: 'Add what the message names. docs/clusters.md has an example of each type.',
  },
  AR612: {
    title: 'Resources that nobody gives',
    cause: 'A stage asks for resources but runs on no cluster, or asks for one that its type of cluster cannot give.',
    fix: 'Take it out, or let the stage run `on` a cluster that can.',
  },
  AR613: {
    title: 'A stage that cannot run on a cluster',
    cause: 'The stage runs no command, or works in a worktree, which is gone before a job that outlives the runner.',
    fix: 'Take out `on`, or the other setting that the message names.',
  },
  AR614: {
    title: 'GPU-hours without a bound',
    cause:
      '`budget.gpuHours` limits the jobs of a run, but this job could run for ever: nobody can say before it starts whether it fits.',
    fix: 'State `time` under `resources`. The scheduler ends the job then.',
  },
  AR616: {
    title: 'GPU-hours that nobody can spend',
    cause: '`budget.gpuHours` limits what jobs use, but no stage asks for GPUs on a cluster.',
    fix: 'Take the ceiling out, or state `gpus` under the `resources` of the stages that use some.',
  },
  AR615: {
    title: 'Not a regular expression',
    cause:
      '`id` and `states` of a cluster, and `match` of an error table, are regular expressions of JavaScript. This one cannot be read.',
    fix: 'Correct it. Characters such as `(`, `[` and `+` need a backslash where they stand for themselves.',
  },
} as const;
