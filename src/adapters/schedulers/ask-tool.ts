import { spawn } from 'node:child_process';

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

export function askTool({ run, stdin = '', cwd, env, timeoutMs, begun }: ToolQuestion): Promise<ToolAnswer> {
  const [program = '', ...args] = typeof run === 'string' ? ['/bin/sh', '-c', run] : run;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...env, LC_ALL: 'C' }, detached: true });
    if (child.pid !== undefined) begun?.(child.pid);
    const out = gather();
    const err = gather();
    let drain: NodeJS.Timeout | undefined;
    const answer = (found: ToolAnswer): void => {
      clearTimeout(timer);
      clearTimeout(drain);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => {
      endGroup(child.pid);
      answer({ kind: 'timed-out', afterMs: timeoutMs });
    }, timeoutMs);
    const finish = (code: number | null, signal: string | null): void => {
      const stderr = signal ? `${err.text()}ended by ${signal}` : err.text();
      answer({ kind: 'exited', exitCode: code ?? 128, stdout: out.text(), stderr });
    };
    child.stdout.on('data', out.add);
    child.stderr.on('data', err.add);
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    child.on('error', () => answer({ kind: 'not-found', program }));
    child.on('close', finish);
    // What it leaves running in the background may be the job itself, and may keep the pipes open.
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      drain = setTimeout(() => finish(code, signal), 250);
    });
  });
}

function gather(): { add(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
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

const firstLines = (text: string): string => text.split('\n').slice(0, 3).join('; ').slice(0, 400);
