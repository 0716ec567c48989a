import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, CommandExit, CommandRunner, RunningCommand } from '../../../model/ports.js';
import { lastBytes } from '../../command/last-line.js';
import { ToolRefusal } from './call-end.js';
import type { CallWatch } from './call-watch.js';
import { parameters, type Tool, textOf, textType } from './tool.js';

export interface CommandToolPorts {
  readonly commands: CommandRunner;
  readonly clock: Clock;
  readonly watch: CallWatch;
  readonly cwd: string;
  /** Absolute: where the output lies while the command runs. */
  readonly dir: string;
  readonly env: { readonly [name: string]: string };
}

export const runCommandTool = (ports: CommandToolPorts): Tool => {
  let count = 0;
  return {
    name: 'run_command',
    description: 'Runs a shell command in the folder you work in and gives its exit code and the end of its output.',
    parameters: parameters({ command: textType('Goes through sh -c.') }, ['command']),
    about: ({ command }) => String(command ?? ''),
    run: async (args) => {
      count += 1;
      const command = textOf(args, 'command');
      if (command.trim() === '' || command.includes('\0')) throw new ToolRefusal('"command" is empty or no text');
      const [stdoutFile, stderrFile] = [
        join(ports.dir, `command-${count}.out`),
        join(ports.dir, `command-${count}.err`),
      ];
      const files = [stdoutFile, stderrFile];
      for (const file of files) writeFileSync(file, '', { mode: 0o600 });
      try {
        const { cwd, env } = ports;
        const running = ports.commands.start({ run: command, cwd, env, stdoutFile, stderrFile });
        const { exit, flooded } = await ended(running, files, ports);
        ports.watch.check();
        return [
          exitWords(exit),
          ...(flooded ? [`[ended: it printed more than ${mostFileBytes >> 20} MB]`] : []),
          ...section('stdout', stdoutFile),
          ...section('stderr', stderrFile),
        ].join('\n');
      } finally {
        // What it printed may hold anything, keys of ours too. The transcript has what the model saw of it, cleaned.
        for (const file of files) rmSync(file, { force: true });
      }
    },
  };
};

const mostFileBytes = 64 << 20;
const mostShownBytes = 12_000;
const lookEveryMs = 250;

interface CommandEnding {
  readonly exit: CommandExit;
  readonly flooded: boolean;
}

async function ended(
  running: RunningCommand,
  files: readonly string[],
  { clock, watch }: CommandToolPorts,
): Promise<CommandEnding> {
  const { signal, kill } = watch;
  let flooded = false;
  const onStop = (): void => running.stop();
  const onKill = (): void => running.kill();
  const look = (): void => {
    if (files.some((file) => sizeOf(file) > mostFileBytes)) {
      flooded = true;
      running.kill();
    } else cancel = clock.after(lookEveryMs, look);
  };
  let cancel = clock.after(lookEveryMs, look);
  signal.addEventListener('abort', onStop);
  kill.addEventListener('abort', onKill);
  try {
    if (signal.aborted) onStop();
    if (kill.aborted) onKill();
    return { exit: await running.exit, flooded };
  } finally {
    cancel();
    signal.removeEventListener('abort', onStop);
    kill.removeEventListener('abort', onKill);
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function exitWords(exit: CommandExit): string {
  if (exit.kind === 'exited') return `exit code ${exit.exitCode}`;
  return exit.kind === 'signalled' ? `ended by ${exit.signal}` : `not started: ${exit.failure.code}`;
}

function section(name: string, file: string): string[] {
  const size = sizeOf(file);
  if (size === 0) return [];
  const cut = size > mostShownBytes ? [`[cut: the last ${mostShownBytes} of ${size} bytes]`] : [];
  return [`--- ${name}`, ...cut, lastBytes(file, mostShownBytes)];
}
