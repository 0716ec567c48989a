import { existsSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.js';
import { exitCode, failureExitCode } from '../model/exit-code.js';
import { FailureError } from '../model/failure.js';
import type { CliContext, Output } from './context.js';
import { type CommandLine, parseCommandLine } from './line/command-line.js';
import { isSaid, typedCommands } from './line/typed-commands.js';
import { leaveLostTerminal } from './lost-terminal.js';
import { ownCommand } from './own-command.js';
import { refuse } from './refuse.js';
import { noWaitingLine, WaitingLine } from './waiting-line.js';

/** Reads the command line, runs the command, and turns whatever comes out into an exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const noColor = argv.includes('--no-color');
  const waiting = waitingLine(argv);
  const parsed = parseCommandLine(argv);
  const said = !parsed.ok || parsed.value === 'help' || isSaid(parsed.value);
  const typed = typedHere();
  const stdout = output(process.stdout, { noColor, waiting, ...(said ? { typed } : {}) });
  const stderr = output(process.stderr, { noColor, waiting, typed });
  if (!parsed.ok) return refuse(parsed.error, { stderr, env: process.env });
  if (parsed.value === 'help' || parsed.value.flags.has('help')) {
    const { helpText } = await import('./line/help.js');
    stdout.write(helpText(parsed.value === 'help' ? undefined : parsed.value.command));
    return exitCode.passed;
  }
  const line = parsed.value;
  const context = contextOf(line, { stdout, stderr, progress: waiting });
  if (!context.ok) return refuse([context.error], { stderr, env: process.env });
  try {
    const { run } = await line.entry.load();
    return await run(context.value);
  } catch (error) {
    return answerFor(error, stderr);
  } finally {
    waiting.clear();
  }
}

function contextOf(
  line: CommandLine,
  world: Pick<CliContext, 'stdout' | 'stderr' | 'progress'>,
): { ok: true; value: CliContext } | { ok: false; error: Diagnostic } {
  const value = (name: string): string | undefined => line.values.get(name)?.[0];
  const here = workingFolder();
  if (here === undefined) return bad('the working folder is gone', '.');
  const cwd = resolve(here, value('cwd') ?? '.');
  const agentId = value('agent-id') ?? 'default';
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(agentId)) {
    return bad('--agent-id is letters, digits, - and _, at most 64 of them', agentId);
  }
  if (!existsSync(cwd) || !statSync(cwd).isDirectory()) return bad(`--cwd ${cwd} is not a folder`, cwd);
  const configFile = value('config');
  return {
    ok: true,
    value: {
      cwd,
      ...(configFile === undefined ? {} : { configFile: resolve(cwd, configFile) }),
      agentId,
      set: line.values.get('set') ?? [],
      quiet: line.flags.has('quiet'),
      verbose: line.flags.has('verbose'),
      positionals: line.positionals,
      flag: (name) => line.flags.has(name),
      value,
      values: (name) => line.values.get(name) ?? [],
      ...world,
      env: process.env,
    },
  };
}

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

const bad = (message: string, argument: string): { ok: false; error: Diagnostic } => ({
  ok: false,
  error: { code: 'AR604', message, at: { kind: 'argument', argument } },
});

async function answerFor(error: unknown, stderr: Output): Promise<number> {
  if (error instanceof FailureError) {
    const { failureText } = await import('../report/failures/failure-text.js');
    stderr.write(`${failureText(error.failure)}\n`);
    return failureExitCode[error.failure.code];
  }
  stderr.write(
    `This is a bug in autoresearch, not in your config. Please report it with these lines:\n${(error as Error)?.stack ?? error}\n`,
  );
  return exitCode.bug;
}

type Waiting = WaitingLine | typeof noWaitingLine;

/** Only for people: at a terminal that can take a line back. */
function waitingLine(argv: readonly string[]): Waiting {
  const { env, stderr } = process;
  if (!stderr.isTTY || env.CI || env.TERM === 'dumb' || argv.includes('--quiet')) return noWaitingLine;
  return new WaitingLine({ write: (text) => void stderr.write(text), columns: () => stderr.columns || 80 });
}

interface Typed {
  /** Commands as they have to be typed here. */
  words(text: string): string;
  /** How many columns longer they are than in the words of messages. */
  longer(): number;
}

function typedHere(): Typed {
  let known: string | undefined;
  const own = (): string => {
    known ??= ownCommand({ env: process.env, cwd: workingFolder() ?? '/', script: process.argv[1] ?? '' });
    return known;
  };
  // A whole path would leave no room for anything else, and may stand out.
  return { words: typedCommands(own), longer: () => (own() === 'npx autoresearch' ? 'npx '.length : 0) };
}

function output(
  stream: NodeJS.WriteStream,
  { noColor, waiting, typed }: { readonly noColor: boolean; readonly waiting: Waiting; readonly typed?: Typed },
): Output {
  const { env } = process;
  const isTty = stream.isTTY === true;
  return {
    write(text) {
      waiting.clear();
      stream.write(typed ? typed.words(text) : text);
    },
    isTty: isTty && !env.CI && env.TERM !== 'dumb',
    color: isTty && !noColor && !env.NO_COLOR && env.TERM !== 'dumb',
    // What gets longer on its way out still has to fit into a line.
    columns: () => (stream.columns || 80) - (typed?.longer() ?? 0),
    rows: () => stream.rows || 24,
  };
}

// `autoresearch plan | head`: the reader went away, which is no error of ours. Anything else is output that got lost.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') lost = true;
  });
}
let lost = false;

// What a config or a behaviour prints is not data of ours.
console.log = console.error;
console.info = console.error;
console.debug = console.error;

// The end has to be ours: a config that calls process.exit, waits for something that never comes, or throws from a timer
// must not look like success.
let ended = false;
process.exitCode = exitCode.bug;
process.on('exit', leaveLostTerminal);
process.on('exit', () => {
  if (ended) return;
  process.exitCode = exitCode.bug;
  writeSync(
    2,
    'autoresearch was ended from inside: a config or a behaviour called process.exit, or waits for ever. What was recorded is kept; exec goes on from there.\n',
  );
});
process.on('uncaughtException', (error) => {
  ended = true;
  writeSync(
    2,
    `Something that a config or a behaviour left running threw, and the run cannot be trusted to go on:\n${error?.stack ?? error}\n`,
  );
  process.exit(exitCode.bug);
});

void main(process.argv.slice(2)).then((code) => {
  ended = true;
  // A config or a behaviour may have left a timer or a socket open; nobody waits for it once everything is said.
  process.stdout.write('', () =>
    process.stderr.write('', () => process.exit(lost && code === exitCode.passed ? exitCode.failed : code)),
  );
});
