import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Clock, CommandExit, CommandRunner, CommandSpec, RunningCommand } from '../../../src/model/ports.js';

/** A folder of its own for one test, with commands that write their logs into it. */
export class Room {
  readonly dir = mkdtempSync(join(tmpdir(), 'command-'));
  #logs = 0;

  /** A command in this room with logs of its own. */
  spec(run: CommandSpec['run'], more: Partial<CommandSpec> = {}): CommandSpec {
    const logs = join(this.dir, `logs ${++this.#logs}`);
    mkdirSync(logs);
    return {
      run,
      cwd: this.dir,
      env: {},
      stdoutFile: join(logs, 'stdout.log'),
      stderrFile: join(logs, 'stderr.log'),
      ...more,
    };
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface Finished {
  readonly exit: CommandExit;
  readonly stdout: string;
  readonly stderr: string;
}

export async function finish(runner: CommandRunner, spec: CommandSpec): Promise<Finished> {
  return collect(spec, runner.start(spec));
}

export async function collect(spec: CommandSpec, command: RunningCommand): Promise<Finished> {
  return { exit: await command.exit, stdout: text(spec.stdoutFile), stderr: text(spec.stderrFile) };
}

export function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Looks every few milliseconds until it holds; fails when it never does. */
export async function until(what: string, holds: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Who was killed has given back its memory, and with it the marker, a moment before it has given back its place. */
export async function gone(pids: readonly number[], count: number): Promise<void> {
  expect(pids).toHaveLength(count);
  await until('they are gone', () => !pids.some(alive));
}

/** A zombie still answers signals, but it is gone. */
export function alive(pid: number): boolean {
  const stat = text(`/proc/${pid}/stat`);
  return stat !== '' && !/\) [ZX] /.test(stat);
}

export const parentOf = (pid: number): number => Number(text(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1]);

/** Living children. */
export const childrenOf = (pid: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((other) => other > 0 && parentOf(other) === pid && alive(other));

export const exited = (exitCode: number): CommandExit => ({ kind: 'exited', exitCode });
export const signalled = (signal: string): CommandExit => ({ kind: 'signalled', signal });

/** Time stands still until the test says otherwise. */
export class StoppedClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How many wait for their time. */
  get pending(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}
