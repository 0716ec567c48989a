import { type ToolAnswer, troubleOf } from './ask-tool.js';
import type { SlurmRow } from './slurm-states.js';

export type Accounts =
  | { readonly kind: 'rows'; readonly rows: ReadonlyMap<string, SlurmRow> }
  | { readonly kind: 'trouble'; readonly detail: string };

type Ask = (run: readonly string[], env: { readonly [name: string]: string }) => Promise<ToolAnswer>;

/**
 * What sacct remembers. Always with a start time: without one it begins at midnight, and what ended before is not there. Many
 * clusters keep no accounts; that is found out once, and is no trouble.
 */
export class SlurmAccounts {
  readonly #ask: Ask;
  #areKept = true;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  byName(name: string, sinceMs: number): Promise<Accounts> {
    return this.#look([`--name=${name}`], sinceMs);
  }

  byIds(ids: readonly string[], sinceMs: number): Promise<Accounts> {
    return this.#look([`--jobs=${ids.join(',')}`], sinceMs);
  }

  async #look(which: readonly string[], sinceMs: number): Promise<Accounts> {
    if (!this.#areKept) return none;
    // A day more than needed: clocks differ, and a job counts from when it was eligible.
    const start = new Date(Math.max(0, sinceMs - 86_400_000)).toISOString().slice(0, 19);
    const words = ['-n', '-P', '-X', `--starttime=${start}`, '--format=JobID,State,ExitCode'];
    const answer = await this.#ask(['sacct', ...words, ...which], { TZ: 'UTC', SLURM_TIME_FORMAT: 'standard' });
    if (
      answer.kind === 'not-found' ||
      (answer.kind === 'exited' && /accounting storage is disabled/i.test(answer.stderr))
    ) {
      this.#areKept = false;
      return none;
    }
    if (answer.kind !== 'exited' || answer.exitCode !== 0)
      return { kind: 'trouble', detail: troubleOf(answer, 'sacct') };
    const rows = new Map<string, SlurmRow>();
    for (const line of answer.stdout.split('\n')) {
      if (line.trim() === '') continue;
      const match = /^(\d+(?:_(?:\d+|\[.*\]))?)\|([^|]*)\|([^|]*)$/.exec(line);
      if (!match) return { kind: 'trouble', detail: `sacct said ${JSON.stringify(line.slice(0, 80))}` };
      rows.set(match[1]!, { state: match[2]!, exit: match[3]! });
    }
    return { kind: 'rows', rows };
  }
}

const none: Accounts = { kind: 'rows', rows: new Map() };
