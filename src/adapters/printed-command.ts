import { spawn } from 'node:child_process';
import type { CommandEnd, PrintedEnd } from '../model/stage.js';

export interface PrintedOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
}

/** Runs a program outside of any run, without a log: for those who only look. What it started ends with it. */
export function printedCommand(words: readonly string[], options: PrintedOptions): Promise<PrintedEnd> {
  const { cwd, env, timeoutMs } = options;
  const said = { stdout: '', stderr: '' };
  return new Promise((done) => {
    let isLate = false;
    const child = spawn(words[0]!, words.slice(1), { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // Nobody is left of it.
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      kill();
    }, timeoutMs);
    const end = (how: Ended): void => {
      clearTimeout(timer);
      if (child.pid !== undefined) kill();
      const isCut = said.stdout.length > most || said.stderr.length > most;
      done({ ...endOf(isLate ? { lateMs: timeoutMs } : how), ...said, isCut });
    };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (said[stream].length <= most) said[stream] += text;
      });
    child.on('error', (error) => end({ detail: error.message }));
    child.on('close', (exitCode) => end(exitCode === null ? { detail: 'it was killed' } : { exitCode }));
  });
}

type Ended = { readonly exitCode: number } | { readonly detail: string } | { readonly lateMs: number };

function endOf(how: Ended): CommandEnd & { readonly exitCode?: number } {
  if ('lateMs' in how) return { ok: false, failure: { code: 'timed-out', afterMs: how.lateMs } };
  if ('detail' in how) return { ok: false, failure: { code: 'command-not-started', detail: how.detail } };
  const { exitCode } = how;
  return exitCode === 0
    ? { ok: true, exitCode }
    : { ok: false, failure: { code: 'command-failed', exitCode }, exitCode };
}

const most = 1 << 20;
