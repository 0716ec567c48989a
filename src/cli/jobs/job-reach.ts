import { type RunStore, stateDir } from '../../adapters/journal/run-store.js';
import { FailureError } from '../../model/failure.js';
import type { RunState } from '../../model/state/run-state.js';
import type { WorkInput } from '../../run/attempt/task-tools.js';
import { again, place } from '../again.js';
import type { CliContext } from '../context.js';
import type { NewestRun } from '../history/history.js';
import type { Project } from '../project/open-project.js';
import type { OpenedRun } from '../run/opened-run.js';
import type { RunEnvironment } from '../run/run-environment.js';

interface ReachInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly opened: OpenedRun;
  readonly environment: RunEnvironment;
}

/** The way to clusters, for a study that has tasks there; all others load nothing for it. */
export function jobReach(input: ReachInput): Pick<WorkInput, 'reachJobs' | 'budget'> {
  const { project, context, opened, environment } = input;
  const { config, root } = project.resolved;
  const { clusters } = project.plan;
  if (!clusters || Object.keys(clusters).length === 0) return {};
  let made: ReturnType<NonNullable<WorkInput['reachJobs']>> | undefined;
  const reachJobs: NonNullable<WorkInput['reachJobs']> = () => {
    made ??= import('./job-ports.js').then(({ jobPorts }) =>
      jobPorts({
        root,
        stateDir: stateDir(root, context.agentId),
        runDir: opened.dir,
        clusters,
        allowed: environment.allowed,
        passed: { ...kubeConfig(context.env), ...environment.passed(config.passEnv) },
        names: { vars: config.vars ?? {}, name: config.name, agentId: context.agentId },
        secrets: environment.secrets,
        flushed: () => opened.journal.flushed(),
        config,
      }),
    );
    return made;
  };
  return { reachJobs, ...(config.budget ? { budget: config.budget } : {}) };
}

/** A run that is started afresh does not run beside the jobs of the one before it. */
export async function endJobsOf(old: NewestRun | undefined, store: RunStore, context: CliContext): Promise<void> {
  if (![...(old?.reading.state?.jobs.values() ?? [])].some(({ end }) => end === undefined)) return;
  const { cancelJobs } = await import('./cancel-jobs.js');
  const { left } = await cancelJobs(store, old!.id, context);
  const [first] = left;
  if (first) {
    const { cluster, tag } = first.job;
    const detail = `a job of run ${old!.id} may still be at work, and could not be ended: ${first.detail}`;
    throw new FailureError({ code: 'job-unsure', cluster, tag, detail });
  }
}

/** Says what goes on without the runner. */
export async function tellKeptJobs({ jobs }: RunState, context: CliContext): Promise<void> {
  const kept = [...jobs.values()].filter(({ end }) => end === undefined);
  if (kept.length === 0) return;
  const { keptJobsText } = await import('../../report/history/job-text.js');
  context.stderr.write(keptJobsText(kept, { again: again(context), place: place(context) }));
}

/** Where kubectl finds its cluster. */
export const kubeConfig = ({ KUBECONFIG }: NodeJS.ProcessEnv): Record<string, string> =>
  KUBECONFIG === undefined ? {} : { KUBECONFIG };
