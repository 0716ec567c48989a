import type { PrintedEnd } from '../../model/stage.js';
import { askProgram } from './ask-program.js';

export interface PrintedOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
}

/** Runs a program outside of any run, without a log: for those who only look. What it started ends with it. */
export async function printedCommand(
  [program = '', ...args]: readonly string[],
  options: PrintedOptions,
): Promise<PrintedEnd> {
  const answer = await askProgram({ program, args, ...options, mostBytes: 1 << 20, rest: 'ends' });
  const { stdout, stderr, isCut } = { stdout: '', stderr: '', isCut: false, ...answer };
  const said = { stdout, stderr, isCut };
  switch (answer.kind) {
    case 'not-started':
      return { ok: false, failure: { code: 'command-not-started', detail: answer.detail }, ...said };
    case 'killed':
      return { ok: false, failure: { code: 'command-not-started', detail: 'it was killed' }, ...said };
    case 'timed-out':
      return { ok: false, failure: { code: 'timed-out', afterMs: answer.afterMs }, ...said };
    case 'exited': {
      const { exitCode } = answer;
      return exitCode === 0
        ? { ok: true, exitCode, ...said }
        : { ok: false, failure: { code: 'command-failed', exitCode }, exitCode, ...said };
    }
  }
}
