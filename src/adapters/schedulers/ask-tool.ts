import { askProgram } from '../process/ask-program.js';

/** A question to a scheduler's own program. Each has a limit of its own: a controller that is down keeps them waiting. */
export interface ToolQuestion {
  /** Text goes through `sh -c`. */
  readonly run: string | readonly string[];
  readonly stdin?: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
  /** Called with its process id as soon as it runs. */
  begun?(pid: number): void;
}

export type ToolAnswer =
  | { readonly kind: 'exited'; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'not-found'; readonly program: string };

/** More than any list of jobs; what is longer is no answer to our question. */
const mostBytes = 16 * 1024 * 1024;

export async function askTool({ run, stdin = '', env, ...question }: ToolQuestion): Promise<ToolAnswer> {
  const [program = '', ...args] = typeof run === 'string' ? ['/bin/sh', '-c', run] : run;
  const answer = await askProgram({
    ...question,
    ...{ program, args, stdin, env: { ...env, LC_ALL: 'C' }, mostBytes },
    // What it leaves running in the background may be the job itself.
    rest: 'stays',
  });
  switch (answer.kind) {
    case 'not-started':
      return { kind: 'not-found', program };
    case 'timed-out':
      return { kind: 'timed-out', afterMs: answer.afterMs };
    case 'killed':
      return {
        kind: 'exited',
        exitCode: 128,
        stdout: answer.stdout,
        stderr: `${answer.stderr}ended by ${answer.signal}`,
      };
    case 'exited':
      return { kind: 'exited', exitCode: answer.exitCode, stdout: answer.stdout, stderr: answer.stderr };
  }
}

/** Why there is no usable answer, in a line. */
export function troubleOf(answer: ToolAnswer, tool: string): string {
  switch (answer.kind) {
    case 'timed-out':
      return `${tool} did not answer within ${answer.afterMs / 1000} s`;
    case 'not-found':
      return `${answer.program} is not installed here`;
    case 'exited': {
      const said = [answer.stderr, answer.stdout].map((text) => text.trim()).find((text) => text !== '');
      return `${tool} exited with ${answer.exitCode}: ${said === undefined ? 'it said nothing' : firstLines(said)}`;
    }
  }
}

/** Why a program gave up stands in its last line, and is what has to be read; the rest tells how it came to it. */
function firstLines(text: string): string {
  const lines = text.split('\n');
  const fatal = lines.filter((line) => /\bfatal: /.test(line));
  const rest = lines.filter((line) => !fatal.includes(line));
  return [...fatal, ...rest].slice(0, 3).join('; ').slice(0, 400);
}
