import { rmSync } from 'node:fs';
import { createCommandRunner, newRunnerId } from '../../adapters/command/command-runner.js';
import { leavingNothing } from '../../adapters/command/leaving-nothing.js';
import { putBackAll } from '../../adapters/disk/set-aside.js';
import { unhurried } from '../../adapters/engine/unhurried.js';
import { gitFacts } from '../../adapters/git/git-facts.js';
import { hidingJournal } from '../../adapters/journal/hiding-journal.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import type { HeldLock } from '../../adapters/lock/held-lock.js';
import { hidingRunner } from '../../adapters/scribe/hiding-runner.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { Outcome, RecordedEvent } from '../../model/events/event.js';
import type { Config } from '../../model/generated/config.js';
import type { CommandRunner, Reporter } from '../../model/ports.js';
import { stageList } from '../../model/stage-list.js';
import type { RunIteration } from '../../model/state/iteration-state.js';
import type { RunState } from '../../model/state/run-state.js';
import { type TimeCeiling, timeCeiling } from '../../run/agents/ceilings.js';
import { RunLoop } from '../../run/loop.js';
import type { StopSwitch } from '../../run/stop-switch.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { earlierTimes } from '../history/earlier-times.js';
import type { History } from '../history/history.js';
import { isSureToRun } from '../history/sure-to-run.js';
import { endJobsOf, jobReach, tellKeptJobs } from '../jobs/job-reach.js';
import { removeScopeVault } from '../left-behind/remove-scope-vault.js';
import { scrubLeftBehind } from '../left-behind/scrub-left-behind.js';
import { onceOnly } from '../once-only.js';
import { exitCodeOf } from '../outcome-exit.js';
import { gitPorts } from '../project/checkout.js';
import type { Project } from '../project/open-project.js';
import { endLeftBehind, leftText } from './left-processes.js';
import { noteEnd, noteGoingOn } from './note-end.js';
import { beginRun, type OpenedRun, openRun } from './opened-run.js';
import { chooseReporter } from './reporter.js';
import { type RunEnvironment, runEnvironment } from './run-environment.js';
import { attemptPorts } from './run-ports.js';
import { studyPort } from './study-watch-port.js';
import { summarise } from './summarise-run.js';
import { notesPlace } from './vault-place.js';

export interface RunProjectInput {
  readonly context: CliContext;
  readonly project: Project;
  readonly history: History;
  readonly jobs: number;
  readonly stop: StopSwitch;
  readonly lock: HeldLock;
  /** The commit that holds changes of the checkout, which were put aside for this run. */
  readonly stashed?: string;
  /** In a loop: which iteration the run is. */
  readonly iteration?: RunIteration;
  /** A new run although one could go on; what --new says unless stated. */
  readonly afresh?: boolean;
}

/** Puts the parts together for one run, sees it through and answers with the exit code. */
export async function runProject(input: RunProjectInput): Promise<number> {
  const { config } = input.project.resolved;
  const environment = runEnvironment(input.context.env, config);
  const runner = newRunnerId();
  const warm = isSureToRun({ ...input, afresh: input.afresh ?? input.context.flag('new') });
  const bare = createCommandRunner({
    clock: systemClock,
    // What Python would leave beside protected files is not theirs.
    env: { ...environment.allowed, ...(isGuarded(config) ? { PYTHONDONTWRITEBYTECODE: '1' } : {}) },
    maxSlots: input.jobs,
    runner,
    warm,
  });
  const commands = hidingRunner({ commands: bare, secrets: environment.secrets, env: input.context.env });
  try {
    const alone = input.iteration ? leavingNothing(commands) : commands;
    return await runWith(input, { commands: alone, environment, runner });
  } finally {
    await commands.close();
  }
}

interface RunTools {
  readonly commands: CommandRunner;
  readonly environment: RunEnvironment;
  /** The marker of the commands. */
  readonly runner: string;
}

async function runWith(input: RunProjectInput, { commands, environment, runner }: RunTools): Promise<number> {
  const { context, history, stop, lock, jobs, iteration, afresh = context.flag('new') } = input;
  let { plan } = input.project;
  // A task file may add to the plan while it is carried out.
  const project: Project = {
    ...input.project,
    get plan() {
      return plan;
    },
  };
  const { root, config } = project.resolved;
  const { secrets } = environment;
  if (afresh) await endJobsOf(history.newest, history.store, context);
  const bare = openRun({ project, history, lock, runner, afresh, set: context.set, iteration });
  const opened = { ...bare, journal: hidingJournal(bare.journal, secrets) };
  const reporter = await reporterFor(input, opened, { commands, environment });
  try {
    const left = await endLeftBehind(history);
    await scrubLeftBehind(history, environment);
    // Nobody is at work any more who could be in the way of it.
    putBackAll(root, history.store.dir);
    const guarded =
      isGuarded(config) || opened.previous?.protection
        ? await (await import('./open-guard.js')).openGuard(project, context, opened)
        : undefined;
    const more = [...stashEvents(input.stashed), ...(guarded?.events ?? [])];
    const earlierMs = earlierTimes(history, opened.id);
    if (opened.previous) noteGoingOn(opened, { root, context, reporter });
    const state = beginRun(opened, plan, { reporter, jobs, secrets, more, again: again(context), earlierMs });
    // Before the first task: a run with tasks but without a journal is one whose journal was taken away.
    await opened.journal.flushed();
    // Who was at work when an earlier go was cut short has been looked at.
    if (config.agents) rmSync(notesPlace(root, context), { recursive: true, force: true });
    if (left > 0) reporter.ephemeral({ type: 'notice', text: leftText(left) });
    const loop = new RunLoop({
      plan,
      run: opened.id,
      agentId: context.agentId,
      jobs,
      detach: context.flag('detach'),
      vars: config.vars ?? {},
      behaviours: new Map([...project.behaviours].map(([uses, { behaviour }]) => [uses, behaviour])),
      state,
      journal: opened.journal,
      reporter,
      decider: history.decider,
      onViolation: config.onViolation ?? 'fail',
      ports: attemptPorts({
        ...(guarded ? { guard: guarded.guard } : {}),
        ...studyPort({ project, context, files: history.files, run: opened.id }),
        ...(await gitPorts({ ...input, project }, opened, secrets)),
        ...(iteration ? await (await import('../iterate/loop-rules.js')).loopPort({ project, context }) : {}),
        root,
        run: opened.id,
        dir: opened.dir,
        files: history.files,
        commands,
        reporter,
        environment,
      }),
      stop,
      agents: config.agents ?? {},
      escalate: config.escalate ?? [],
      gates: async () =>
        (await import('../gates/gate-ports.js')).gatePorts({
          ...{ root, dir: opened.dir, context, reporter, state: () => state },
          before: { store: history.store, run: opened.id, name: plan.name },
        }),
      reach: onceOnly(async () =>
        (await import('./agent-ports.js')).agentPorts({
          project,
          context,
          opened,
          commands,
          environment,
          files: history.files,
        }),
      ),
      ...jobReach({ project, context, opened, environment }),
      ...timeLeft(project, state),
      replan: (stage) => project.replan(stage),
      extended(next) {
        plan = next;
        history.store.savePlan(opened.id, next);
      },
      facts: gitFacts(root),
    });
    // What took so long before is over; from here on the view shows what goes on.
    context.progress.hold();
    context.progress.goOn();
    // A few tasks are over before anything has run often.
    const outcome = await (plan.tasks.length < manyTasks ? loop.run() : unhurried('many', () => loop.run()));
    noteEnd(opened, { root, context, reporter });
    if (config.agents) removeScopeVault(root, context);
    // Whoever kept a session open for this run has nothing more to do in it.
    if (outcome === 'passed' && hasInteractive(config)) await endInteractive(root, context);
    await reporter.close();
    // Nothing is started any more. Its processes end while the words about the run are written.
    void commands.close();
    if (!context.quiet && state.jobs.size > 0) await tellKeptJobs(state, context);
    context.progress.goOn();
    context.progress.at({ what: 'writing about the run', done: 0 });
    const { writeAfterRun } = await import('../report/after-run.js');
    const entries = opened.entries();
    const written = await writeAfterRun({
      ...{ context, resolved: project.resolved, plan },
      ...{ store: history.store, id: opened.id, secrets },
      ...(entries ? { told: { state, entries } } : {}),
    });
    // A loop tells of its iterations itself.
    const isTold = iteration && (outcome === 'passed' || outcome === 'failed');
    if (!isTold && isToldInWords(context, outcome)) {
      await summarise({ context, project }, state, { dir: opened.dir, secrets });
      if (written.problem !== undefined) context.stderr.write(`${written.problem}\n`);
      if (written.page !== undefined) context.stdout.write(`${written.page}\n`);
    }
    return exitCodeOf(outcome, stop);
  } finally {
    await reporter.close();
    await opened.journal.close();
  }
}

const manyTasks = 50;

/** The journal tells where they are. */
const stashEvents = (commit: string | undefined): readonly RecordedEvent[] =>
  commit === undefined ? [] : [{ type: 'checkout-stashed', commit }];

async function reporterFor(
  { context, project }: RunProjectInput,
  { dir }: OpenedRun,
  tools: Pick<RunTools, 'commands' | 'environment'>,
): Promise<Reporter> {
  const { root, config } = project.resolved;
  const view = await chooseReporter(context);
  if (!config.notify) return view;
  const { withNotifications } = await import('./notify.js');
  return withNotifications(view, { config, root, runDir: dir, ...tools });
}

/** Most studies protect nothing, and load nothing for it. */
const isGuarded = (config: Config): boolean =>
  (config.protect?.length ?? 0) > 0 || stageList(config).some(([, { protect }]) => (protect?.length ?? 0) > 0);

const hasInteractive = ({ agents = {} }: Config): boolean =>
  Object.values(agents).some(({ interactive }) => interactive);

async function endInteractive(root: string, { agentId, env }: CliContext): Promise<void> {
  const { endOpenSessions } = await import('./open-sessions.js');
  await endOpenSessions(stateDir(root, agentId), env);
}

function isToldInWords(context: CliContext, outcome: Outcome): boolean {
  if (context.flag('json') || ['json', 'silent'].includes(context.value('reporter') ?? '')) return false;
  return !context.quiet || outcome !== 'passed';
}

/** What the ceilings leave of the time at work, all resumptions together. */
function timeLeft({ resolved, loopBudget }: Project, { workedMs }: RunState): { time?: TimeCeiling } {
  const time = timeCeiling({ budget: resolved.config.budget, loop: loopBudget }, workedMs);
  return time ? { time } : {};
}
