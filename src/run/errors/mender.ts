import type { RecordedEvent } from '../../model/events/event.js';
import { type Failure, FailureError } from '../../model/failure.js';
import type { FixCommand } from '../../model/generated/config.js';
import type { SpentCeiling } from '../../model/money/spend.js';
import type { AskDesk } from '../agents/ask-desk.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import type { Places } from '../attempt/places.js';
import { violation } from '../protect/violation.js';
import type { StopSwitch } from '../stop-switch.js';
import { tellingLine } from './error-lines.js';
import { runFixCommand } from './fix-command.js';
import { mendPrompt, type Trouble } from './mend-prompt.js';
import { readable } from './said-lines.js';

/** How an attempt to mend ended. Only `escalate` says that another try cannot help. */
export type Mended =
  | { readonly kind: 'done' | 'failed' | 'escalate'; readonly summary: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'violated'; readonly failure: Failure }
  | { readonly kind: 'over-budget'; readonly spent: SpentCeiling };

export interface MenderTools {
  readonly run: string;
  readonly ports: AttemptPorts;
  readonly places: Places;
  readonly stop: StopSwitch;
  readonly desk: AskDesk;
  record(events: readonly RecordedEvent[]): void;
}

/** Lets a command or an agent mend what went wrong, and writes down how that went. */
export class Mender {
  readonly #tools: MenderTools;

  constructor(tools: MenderTools) {
    this.#tools = tools;
  }

  /** `by` is an agent's name or a command; `escalated` when the tries are spent and somebody else is asked. */
  async mend(trouble: Trouble, by: string | FixCommand, escalated = false): Promise<Mended> {
    const { ports, record } = this.#tools;
    const startedAt = ports.clock.now();
    const mended = await this.#mend(trouble, by, escalated);
    if (!('summary' in mended)) return mended;
    record([
      {
        type: 'fix-finished',
        task: trouble.task.id,
        attempt: trouble.attempt,
        by: typeof by === 'string' ? by : by.run,
        ok: mended.kind === 'done',
        ...(mended.kind === 'escalate' ? { escalates: true } : {}),
        summary: mended.summary,
        durationMs: Math.max(0, ports.clock.now() - startedAt),
      },
    ]);
    return mended;
  }

  /** In the place where the task works. One that cannot be opened is for the next attempt to complain about. */
  async #mend(trouble: Trouble, by: string | FixCommand, escalated: boolean): Promise<Mended> {
    try {
      return await this.#tools.places.mending(trouble.task, ({ workspace }) => {
        const env = troubleEnv(trouble, { run: this.#tools.run, root: workspace.root });
        return typeof by === 'string' ? this.#agent(trouble, by, { escalated, env }) : this.#command(trouble, by, env);
      });
    } catch (error) {
      // Records that were tampered with, or a lock that somebody else has, end the run.
      if (!(error instanceof FailureError) || endsRun.has(error.failure.code)) throw error;
      return { kind: 'failed', summary: this.#tools.ports.failureWords(error.failure) };
    }
  }

  async #command(trouble: Trouble, { run }: FixCommand, env: Variables): Promise<Mended> {
    const { ports, stop } = this.#tools;
    const folder = ports.openFix(trouble.task, trouble.attempt, 'fix');
    const failure = await runFixCommand({ run, env, folder, task: trouble.task }, { ports, stop });
    if (!failure) return { kind: 'done', summary: 'the command passed' };
    return failure.code === 'cancelled'
      ? { kind: 'cancelled' }
      : { kind: 'failed', summary: ports.failureWords(failure) };
  }

  async #agent(
    trouble: Trouble,
    name: string,
    { escalated, env }: { readonly escalated: boolean; readonly env: Variables },
  ): Promise<Mended> {
    const { ports, stop, desk } = this.#tools;
    const { task, attempt } = trouble;
    const role = escalated ? 'planner' : 'fixer';
    const asked = await desk.ask(
      {
        task,
        attempt,
        to: name,
        role,
        form: 'work',
        prompt: mendPrompt(trouble, escalated),
        access: 'write',
        quoted: trouble.lines,
        env,
        dirOf: (call) => ports.openFix(task, attempt, `${role}-${call + 1}`).dir,
      },
      { stop: stop.stopping, kill: stop.killing },
    );
    if (asked.kind === 'failed') return { kind: 'failed', summary: asked.detail };
    if (asked.kind === 'violated') return { kind: 'violated', failure: violation(name, asked) };
    if (asked.kind !== 'replied') return asked;
    return { kind: asked.reply.outcome, summary: asked.reply.summary };
  }
}

/** What a command or an agent that mends is told besides its words. */
export function troubleEnv(
  { task, attempt, what, errorClass, lines, stdoutFile, stderrFile }: Trouble,
  { run, root }: { readonly run: string; readonly root: string },
): Variables {
  const telling = tellingLine(readable(lines), []);
  return {
    ...task.env,
    AUTORESEARCH_RUN: run,
    AUTORESEARCH_TASK: task.id,
    AUTORESEARCH_ATTEMPT: String(attempt),
    AUTORESEARCH_ROOT: root,
    AUTORESEARCH_ERROR: telling === undefined ? what : `${what}: ${telling}`,
    AUTORESEARCH_ERROR_CLASS: errorClass,
    AUTORESEARCH_STDOUT: stdoutFile,
    AUTORESEARCH_STDERR: stderrFile,
  };
}

const endsRun: ReadonlySet<string> = new Set(['journal-corrupt', 'lock-lost']);

type Variables = { readonly [name: string]: string };
