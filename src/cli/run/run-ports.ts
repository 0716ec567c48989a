import { dirname, join } from 'node:path';
import { openWorkspace } from '../../adapters/behaviours/project-workspace.js';
import { idleWatch } from '../../adapters/command/idle-watch.js';
import { tailLines } from '../../adapters/command/last-line.js';
import { printedSince } from '../../adapters/command/printed.js';
import { diskTime } from '../../adapters/disk/disk-time.js';
import { setAside } from '../../adapters/disk/set-aside.js';
import { appendError } from '../../adapters/journal/error-log.js';
import {
  attemptDir,
  attemptFolders,
  attemptLogs,
  openFixFolder,
  seeAttempt,
  showCall,
} from '../../adapters/kept/attempt-folder.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { Guard } from '../../model/files/guard.js';
import type { CommandRunner, Files, Reporter } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { AttemptPorts } from '../../run/attempt/attempt-ports.js';
import { readMustHaves } from '../project/read-must-haves.js';
import { isolationPorts } from './isolation-ports.js';
import type { RunEnvironment } from './run-environment.js';

export interface PortsInput {
  readonly root: string;
  readonly run: string;
  /** The run's folder. */
  readonly dir: string;
  readonly files: Files;
  readonly commands: CommandRunner;
  readonly reporter: Reporter;
  readonly guard?: Guard;
  readonly studyChange?: AttemptPorts['studyChange'];
  readonly isolation?: AttemptPorts['isolation'];
  readonly commitFiles?: AttemptPorts['commitFiles'];
  readonly ready?: AttemptPorts['ready'];
  readonly environment: RunEnvironment;
}

/** The outside world, as attempts see it. */
export function attemptPorts(input: PortsInput): AttemptPorts {
  const { root, run, dir, files, commands, reporter, environment, guard } = input;
  let hasComplained = false;
  const { hide, hideValues } = environment.secrets;
  const folders = attemptFolders(dir);
  return {
    ...(guard ? { guard } : {}),
    ...(input.studyChange ? { studyChange: input.studyChange } : {}),
    ...(input.isolation ? { isolation: input.isolation } : {}),
    ...(input.commitFiles ? { commitFiles: input.commitFiles } : {}),
    ...(input.ready ? { ready: input.ready } : {}),
    ...isolationPorts(root, reporter),
    diskTime: ({ dir: attempt }, which) => diskTime(attempt, which),
    setAside: (task, paths) => setAside(paths, { root, stateDir: dirname(dirname(dir)), task: task.id }),
    commands,
    clock: systemClock,
    files,
    workspace: openWorkspace(root),
    random: Math.random,
    watchIdle: (folder, idleMs, onIdle) => idleWatch({ ...folder, idleMs, clock: systemClock, onIdle }),
    async keepTaskFiles(patterns, folder) {
      const { keepTaskFiles } = await import('../../adapters/kept/task-file-copies.js');
      return keepTaskFiles(patterns, folder, { root, runDir: dir, stateDir: dirname(dirname(dir)), files });
    },
    ...folders,
    // A behaviour is a part of this process, and can read all of its environment.
    openAttempt(task, attempt) {
      const folder = folders.openAttempt(task, attempt);
      return { ...folder, log: (line) => folder.log(hideValues(line)) };
    },
    seeAttempt: (task, attempt) => seeAttempt(dir, task, attempt),
    openFix: (task, attempt, name) => openFixFolder(dir, task, { attempt, name }),
    said: ({ stdoutFile, stderrFile }) => ({
      stdout: tailLines(stdoutFile, saidLines).map(hideValues),
      stderr: tailLines(stderrFile, saidLines).map(hideValues),
    }),
    printedSince(folder) {
      const since = printedSince(folder);
      return () => {
        const { stdout, stderr, isCut } = since();
        return { stdout: hideValues(stdout), stderr: hideValues(stderr), isCut };
      };
    },
    showCall: ({ dir: attempt }, callDir) => showCall(attempt, callDir),
    failureWords: (failure) => hideValues(failureWords(failure).what),
    passedTo: ({ passEnv }) => environment.passed(passEnv),
    scrub: (folder, known) => environment.scrub(folder.dir, known),
    logError(error) {
      const problem = appendError(root, { ...error, run, at: systemClock.now() }, hide);
      if (problem === undefined || hasComplained) return;
      hasComplained = true;
      reporter.ephemeral({ type: 'notice', text: problem });
    },
    checkSchema: async (file, schema) =>
      (await import('../../adapters/behaviours/output-schema.js')).checkFile(join(root, file), join(root, schema)),
    readMustHaves,
    parseData: async (text, form) => (await import('../../adapters/behaviours/read-data.js')).parseData(text, form),
    readValues: async (wish, context) => (await import('../../values/load-values.js')).loadValues(wish, context),
    evaluate: async (expression, names) =>
      (await import('../../adapters/behaviours/read-data.js')).evaluate(expression, names),
    drawFigure: async (spec, wish) => (await import('../project/draw-figure.js')).drawFigure(spec, wish),
    render: async (template, data) =>
      (await import('../../adapters/behaviours/render-text.js')).renderText(template, data),
  };
}

/** Enough for a traceback; what tells an error apart stands at the end. */
const saidLines = 60;

/** The last lines of a task's newest attempt. */
export function tailOf(runDir: string, task: string, state: RunState | undefined): string[] {
  const { stdoutFile, stderrFile } = logsOf(runDir, task, state);
  return [...tailLines(stdoutFile, tailLength), ...tailLines(stderrFile, tailLength)].slice(-tailLength);
}

export const logsOf = (runDir: string, task: string, state: RunState | undefined): ReturnType<typeof attemptLogs> =>
  attemptLogs(attemptDir(runDir, task, state?.tasks.get(task)?.attempts ?? 1));

const tailLength = 15;
