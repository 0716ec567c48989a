import { resolve } from 'node:path';
import type { Failure } from '../model/failure.js';
import type { AttemptFolder, CommandExit } from '../model/ports.js';
import type { CommandEnd, CommandOptions, StageContext } from '../model/stage.js';
import type { AttemptInput, AttemptPorts } from './attempt-ports.js';
import type { Supervisor } from './supervise.js';

interface ContextParts {
  readonly ports: AttemptPorts;
  readonly folder: AttemptFolder;
  readonly supervisor: Supervisor;
}

/** The behaviour's window on the world: commands, files, templates and a log, all of them supervised. */
export function stageContext(input: AttemptInput, { ports, folder, supervisor }: ContextParts): StageContext {
  const { task } = input;
  const cwd = resolve(ports.workspace.root, task.cwd);
  const env = {
    ...task.env,
    AUTORESEARCH_RUN: input.run,
    AUTORESEARCH_TASK: task.id,
    AUTORESEARCH_ATTEMPT: String(input.attempt),
    AUTORESEARCH_ROOT: ports.workspace.root,
  };

  const command = async (run: string | readonly string[], options: CommandOptions = {}): Promise<CommandEnd> => {
    const ending = supervisor.ending();
    if (ending) return { ok: false, failure: ending };
    const running = ports.commands.start({
      run,
      cwd: options.cwd === undefined ? cwd : resolve(cwd, options.cwd),
      env: { ...env, ...options.env },
      stdoutFile: folder.stdoutFile,
      stderrFile: folder.stderrFile,
    });
    supervisor.adopt(running);
    const exit = await running.exit;
    const failure = supervisor.ending() ?? failureOf(exit, run);
    return failure ? { ok: false, failure } : { ok: true };
  };

  return {
    task: task.id,
    stage: task.stage,
    inputs: task.inputs,
    outputs: task.outputs,
    matrix: task.matrix ?? {},
    vars: input.vars,
    attempt: input.attempt,
    cwd,
    signal: supervisor.signal,
    command,
    readFile: (path) => ports.workspace.readFile(path),
    writeFile: (path, content) => ports.workspace.writeFile(path, content),
    render: (template, data) => ports.render(template, data),
    log: (line) => folder.log(line),
  };
}

function failureOf(exit: CommandExit, run: string | readonly string[]): Failure | undefined {
  switch (exit.kind) {
    case 'exited':
      if (exit.exitCode === 0) return undefined;
      // The shell's own word for a program it could not find.
      if (exit.exitCode === 127)
        return { code: 'command-not-found', command: typeof run === 'string' ? run : (run[0] ?? '') };
      return { code: 'command-failed', exitCode: exit.exitCode };
    case 'signalled':
      return { code: 'command-killed', signal: exit.signal };
    case 'not-started':
      return exit.failure;
  }
}
