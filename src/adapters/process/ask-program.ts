import type { ChildProcess } from 'node:child_process';
import { loadExeca } from '../command/execa.js';

/** A question to a program that answers by what it prints, and ends. */
export interface ProgramQuestion {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  readonly cwd: string;
  /** All of it; nothing is inherited. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly timeoutMs: number;
  /** Of each stream; the rest is read and forgotten. */
  readonly mostBytes: number;
  /** What it leaves running in its group ends with it, or stays: that may be the very thing it was asked for. */
  readonly rest: 'ends' | 'stays';
  /** Called with its process id as soon as it runs. */
  begun?(pid: number): void;
}

export type ProgramAnswer =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & Said)
  | ({ readonly kind: 'killed'; readonly signal: string } & Said)
  | ({ readonly kind: 'timed-out'; readonly afterMs: number } & Said)
  | { readonly kind: 'not-started'; readonly detail: string; readonly isMissing: boolean };

interface Said {
  readonly stdout: string;
  readonly stderr: string;
  /** More was printed than `mostBytes`. */
  readonly isCut: boolean;
}

/**
 * For what is few and takes its time: schedulers, tmux, checks outside of a run. In a group of its own, so that its end is the
 * end of all of it, and with a limit, because a controller that is down keeps its programs waiting.
 */
export async function askProgram(question: ProgramQuestion): Promise<ProgramAnswer> {
  const { program, args, cwd, env, stdin, timeoutMs, rest } = question;
  const input = stdin === undefined ? ({ stdin: 'ignore' } as const) : { input: stdin };
  const execa = await loadExeca();
  const child = execa(program, args, {
    ...{ cwd, env: env as NodeJS.ProcessEnv, extendEnv: false, ...input },
    ...{ detached: true, reject: false, buffer: false },
  });
  const { pid, stdout, stderr } = child;
  if (pid !== undefined) question.begun?.(pid);
  const [out, err] = [gather(question.mostBytes), gather(question.mostBytes)];
  stdout?.on('data', out.add);
  stderr?.on('data', err.add);
  const isLate = await endOrLimit(child, timeoutMs);
  if (pid !== undefined && (isLate || rest === 'ends')) endGroup(pid);
  stdout?.destroy();
  stderr?.destroy();
  const { exitCode, signal, code, originalMessage } = await child;
  const said = { stdout: out.text(), stderr: err.text(), isCut: out.isCut() || err.isCut() };
  if (pid === undefined)
    return {
      kind: 'not-started',
      detail: originalMessage ?? 'the system gave no reason',
      isMissing: code === 'ENOENT',
    };
  if (isLate) return { kind: 'timed-out', afterMs: timeoutMs, ...said };
  return exitCode === undefined
    ? { kind: 'killed', signal: signal ?? 'SIGKILL', ...said }
    : { kind: 'exited', exitCode, ...said };
}

/** True when the time was over first. Somebody whom it left behind may keep its pipes open: they are not waited for. */
function endOrLimit(child: Pick<ChildProcess, 'once'>, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let drain: NodeJS.Timeout | undefined;
    const end = (isLate: boolean): void => {
      clearTimeout(timer);
      clearTimeout(drain);
      resolve(isLate);
    };
    const timer = setTimeout(() => end(true), timeoutMs);
    child.once('close', () => end(false));
    child.once('error', () => end(false));
    child.once('exit', () => {
      clearTimeout(timer);
      drain = setTimeout(() => end(false), drainMs);
    });
  });
}

const drainMs = 250;

function gather(most: number): { add(chunk: Buffer): void; text(): string; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes <= most) chunks.push(chunk);
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
    isCut: () => bytes > most,
  };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
