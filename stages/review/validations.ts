import type { Failure, StageContext } from 'autoresearch';

/** A command that has to pass. */
export interface Validation {
  readonly run: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The last lines of what it printed. */
  readonly tail: readonly string[];
}

/** All of them, whatever the first says; or the failure that ended the attempt. */
export async function validated(
  commands: readonly string[],
  context: StageContext,
): Promise<readonly Validation[] | { readonly ended: Failure }> {
  const results: Validation[] = [];
  for (const run of commands) {
    const end = await context.command(run, { capture: true });
    if (!end.ok && !judged.has(end.failure.code)) return { ended: end.failure };
    const tail = `${end.stdout}\n${end.stderr}`
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-mostLines);
    const detail = end.exitCode === undefined ? 'did not end by itself' : `exited with ${end.exitCode}`;
    results.push({ run, ok: end.ok, detail, tail });
  }
  return results;
}

const judged: ReadonlySet<string> = new Set(['command-failed', 'command-killed', 'command-not-found']);

const mostLines = 10;
