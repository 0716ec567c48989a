import { hostname } from 'node:os';
import { join } from 'node:path';
import { attemptDir, attemptLogs, openAttemptFolder } from '../adapters/attempt-folder.js';
import { createCommandRunner } from '../adapters/command/command-runner.js';
import { idleWatch } from '../adapters/command/idle-watch.js';
import { lastLine, tailLines } from '../adapters/command/last-line.js';
import { FileJournal } from '../adapters/file-journal.js';
import { gitFacts } from '../adapters/git-facts.js';
import { openWorkspace } from '../adapters/project-workspace.js';
import { systemClock } from '../adapters/system-clock.js';
import { apply } from '../journal/apply.js';
import type { Outcome, RunStarted } from '../model/event.js';
import { exitCode } from '../model/exit-code.js';
import type { CommandRunner, JournalWriter, Reporter, RunInfo } from '../model/ports.js';
import type { RunState } from '../model/run-state.js';
import type { AttemptPorts } from '../run/attempt-ports.js';
import { RunLoop } from '../run/loop.js';
import { StopSwitch } from '../run/stop-switch.js';
import { again } from './again.js';
import type { CliContext } from './context.js';
import type { History } from './history.js';
import type { Project } from './open-project.js';
import { chooseReporter } from './reporter.js';
import { planChanges } from './saved-plan.js';
import { listenForSignals } from './signals.js';

declare const __VERSION__: string;

interface RunProjectInput {
  readonly context: CliContext;
  readonly project: Project;
  readonly history: History;
  readonly jobs: number;
}

/** Puts the parts together for one run, sees it through and answers with the exit code. */
export async function runProject(input: RunProjectInput): Promise<number> {
  const { env } = input.context;
  const commands = createCommandRunner({ clock: systemClock, env, maxSlots: input.jobs, warm: isSureToRun(input) });
  try {
    return await runWith(input, commands);
  } finally {
    await commands.close();
  }
}

async function runWith(input: RunProjectInput, commands: CommandRunner): Promise<number> {
  const { context, project, history } = input;
  const opened = openRun(input);
  const reporter = await chooseReporter(context);
  const stop = new StopSwitch();
  const deaf = listenForSignals(stop);
  try {
    const state = await begin(input, opened, reporter);
    const loop = new RunLoop({
      plan: project.plan,
      run: opened.id,
      jobs: input.jobs,
      vars: project.resolved.config.vars ?? {},
      behaviours: new Map([...project.behaviours].map(([uses, { behaviour }]) => [uses, behaviour])),
      state,
      journal: opened.journal,
      reporter,
      decider: history.decider,
      ports: attemptPorts(input, opened.dir, commands),
      stop,
      facts: gitFacts(project.resolved.root),
    });
    const outcome = await loop.run();
    await reporter.close();
    if (isToldInWords(context, outcome)) await summarise(input, state, opened.dir);
    return exitCodeOf(outcome, stop);
  } finally {
    await reporter.close();
    await opened.journal.close();
    deaf();
  }
}

function isToldInWords(context: CliContext, outcome: Outcome): boolean {
  if (context.flag('json') || ['json', 'silent'].includes(context.value('reporter') ?? '')) return false;
  return !context.quiet || outcome !== 'passed';
}

function exitCodeOf(outcome: Exclude<Outcome, 'running'>, stop: StopSwitch): number {
  if (outcome === 'cancelled') return stop.signal === 'SIGINT' ? exitCode.interrupted : exitCode.terminated;
  return outcome === 'passed' ? exitCode.passed : exitCode.failed;
}

/** When something has never passed, the helper that starts commands may begin while the journal is opened. */
const isSureToRun = ({ project, history }: RunProjectInput): boolean =>
  project.plan.tasks.some((task) => {
    if (task.skip !== undefined || !history.decider.selected.isChosen(task)) return false;
    return (
      !task.cache ||
      history.decider.selected.isForced(task) ||
      history.decider.past(task.id)?.state.product === undefined
    );
  });

interface OpenedRun {
  readonly id: string;
  readonly dir: string;
  readonly journal: JournalWriter;
  readonly previous: RunState | undefined;
  readonly event: RunStarted;
}

/** The unfinished run goes on unless a new one is asked for. */
function openRun({ context, project: { plan }, history: { store, unfinished } }: RunProjectInput): OpenedRun {
  const resumed = context.flag('new') ? undefined : unfinished;
  const id = resumed?.id ?? store.create(plan);
  const changes = resumed ? planChanges(store.readPlan(id)?.tasks ?? [], plan.tasks) : [];
  if (changes.length > 0) store.savePlan(id, plan);
  const event: RunStarted = {
    type: 'run-started',
    journal: 1,
    run: id,
    name: plan.name,
    planDigest: plan.digest,
    tasks: plan.tasks.length,
    tool: __VERSION__,
    host: hostname(),
    pid: process.pid,
    ...(resumed ? { resumed: { changes } } : {}),
  };
  const journal = new FileJournal(store.journalFile(id), systemClock, resumed?.reading);
  return { id, dir: store.runDir(id), journal, previous: resumed?.reading.state, event };
}

async function begin({ project, jobs }: RunProjectInput, opened: OpenedRun, reporter: Reporter): Promise<RunState> {
  let state = opened.previous;
  const info: RunInfo = {
    run: opened.id,
    dir: opened.dir,
    jobs,
    resumed: opened.previous !== undefined,
    ...(opened.previous ? { earlier: opened.previous } : {}),
    tail: (task) => tailOf(opened.dir, task, state),
    lastLine(task) {
      const { stdoutFile, stderrFile } = logsOf(opened.dir, task, state?.tasks.get(task)?.attempts ?? 1);
      return lastLine(stdoutFile, stderrFile);
    },
  };
  reporter.runStarted(project.plan, info);
  const { entries, durable } = opened.journal.append([opened.event]);
  opened.journal.hurry();
  await durable;
  for (const entry of entries) {
    state = apply(state, entry);
    reporter.recorded(entry);
  }
  return state!;
}

function tailOf(runDir: string, task: string, state: RunState | undefined): string[] {
  const { stdoutFile, stderrFile } = logsOf(runDir, task, state?.tasks.get(task)?.attempts ?? 1);
  return [...tailLines(stdoutFile, tailLength), ...tailLines(stderrFile, tailLength)].slice(-tailLength);
}

const tailLength = 15;

const logsOf = (runDir: string, task: string, attempt: number): ReturnType<typeof attemptLogs> =>
  attemptLogs(attemptDir(runDir, task, attempt));

function attemptPorts(
  { project, history }: RunProjectInput,
  dir: string,
  commands: AttemptPorts['commands'],
): AttemptPorts {
  const { root } = project.resolved;
  return {
    commands,
    clock: systemClock,
    files: history.files,
    workspace: openWorkspace(root),
    watchIdle: (folder, idleMs, onIdle) => idleWatch({ ...folder, idleMs, clock: systemClock, onIdle }),
    openAttempt: (task, attempt) => openAttemptFolder(dir, task, attempt),
    checkSchema: async (file, schema) =>
      (await import('../adapters/output-schema.js')).checkFile(join(root, file), join(root, schema)),
    render: async (template, data) => (await import('../adapters/render-text.js')).renderText(template, data),
  };
}

async function summarise({ context, project }: RunProjectInput, state: RunState, dir: string): Promise<void> {
  const { summaryText } = await import('../report/summary.js');
  const target = context.stdout;
  const text = summaryText({
    plan: project.plan,
    state,
    runDir: dir,
    cwd: context.cwd,
    color: target.color,
    again: again(context),
    tail: (task) => tailOf(dir, task, state),
  });
  target.write(text);
}
