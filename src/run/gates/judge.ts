import { hash } from 'node:crypto';
import type { TestResult } from '../../model/agents/published.js';
import type { ReviewReply } from '../../model/agents/reply.js';
import type { EvidenceFile, GateVote } from '../../model/gates/gate.js';
import type { JudgeGate } from '../../model/generated/config.js';
import { canonicalJson } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { AskDesk } from '../agents/ask-desk.js';
import type { Asked } from '../agents/asked.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { saidBy } from '../errors/past-trouble.js';
import { longestWaitMs } from '../errors/retry.js';
import { readable } from '../errors/said-lines.js';
import type { StopSwitch } from '../stop-switch.js';
import type { Ended, GatePorts, Judged } from './gate-ports.js';
import { judgePrompt, type ShownFile } from './judge-prompt.js';
import { countVotes, voteOf } from './votes.js';

export interface JudgeTools {
  readonly run: string;
  readonly ports: AttemptPorts;
  readonly gates: GatePorts;
  readonly desk: AskDesk;
  readonly stop: StopSwitch;
  rest<T>(wait: Promise<T>): Promise<T>;
}

/** One judge at one gate. Each question is put to it afresh; whatever is not a usable reply is a vote that failed. */
export class Judge {
  readonly #task: Task;
  readonly #attempt: number;
  readonly #tools: JudgeTools;
  readonly gate: JudgeGate;
  #asked = 0;

  constructor(task: Task, attempt: number, tools: JudgeTools) {
    this.#task = task;
    this.#attempt = attempt;
    this.#tools = tools;
    this.gate = task.gate as JudgeGate;
  }

  /** What it goes by. */
  get rubric(): string {
    const { criteria, votes = 1, threshold = null } = this.gate;
    return digestOf([criteria, votes, threshold]);
  }

  async judge(evidence: readonly EvidenceFile[], tests?: readonly TestResult[]): Promise<Judged> {
    const files = evidence.map(({ path }) => ({ path, name: path }));
    const votes: GateVote[] = [];
    for (let index = 0; index < (this.gate.votes ?? 1); index += 1) {
      const vote = await this.vote(files, this.#printed(), tests);
      if ('end' in vote) return { kind: 'ended', ...vote };
      votes.push(vote);
    }
    return countVotes(votes, this.rubric);
  }

  async vote(
    files: readonly ShownFile[],
    printed: readonly string[],
    tests?: readonly TestResult[],
  ): Promise<GateVote | Ended> {
    const prompt = judgePrompt({ task: this.#task, gate: this.gate, files, printed, tests }, this.#tools.gates);
    for (let waits = 0; ; waits += 1) {
      const asked = await this.#ask(prompt);
      if (asked.kind === 'replied') return voteOf(asked.reply, this.gate);
      if (asked.kind === 'cancelled') return { end: { how: 'cancelled' } };
      if (asked.kind === 'over-budget') return { end: { how: 'over-budget' }, spent: asked.spent };
      // Who judges only looks.
      if (asked.kind === 'violated')
        return { end: { how: 'violated' }, why: `judge ${this.gate.agent} changed ${asked.files.join(', ')}` };
      const wait = waits < mostWaits && asked.why === 'quota' ? this.#untilReset(asked.resetAt) : undefined;
      if (wait === undefined) {
        const why = asked.why === 'unusable' ? '' : ` (${asked.why})`;
        return {
          verdict: 'failed',
          reasons: [`judge ${this.gate.agent} gave no verdict${why}: ${oneLine(asked.detail)}`],
        };
      }
      if (!(await wait)) return { end: { how: 'cancelled' } };
    }
  }

  #ask(prompt: string): Promise<Asked<ReviewReply>> {
    const { desk, ports, run, stop } = this.#tools;
    // What is judged lies in the project, also when it was made in a worktree.
    const { isolation: _, ...task } = this.#task;
    return desk.ask(
      {
        task,
        attempt: this.#attempt,
        to: this.gate.agent,
        role: 'judge',
        form: 'review',
        prompt,
        access: 'read',
        env: {
          AUTORESEARCH_RUN: run,
          AUTORESEARCH_TASK: task.id,
          AUTORESEARCH_ATTEMPT: String(this.#attempt),
          AUTORESEARCH_ROOT: ports.workspace.root,
        },
        dirOf: () => {
          this.#asked += 1;
          return ports.openFix(task, this.#attempt, `judge-${this.#asked}`).dir;
        },
      },
      { stop: stop.stopping, kill: stop.killing },
    );
  }

  /** What commands printed, without what the author said while it worked. */
  #printed(): readonly string[] {
    const { ports } = this.#tools;
    const { agent } = this.#task;
    const said = ports.said(ports.seeAttempt(this.#task, this.#attempt));
    const own = agent === undefined ? undefined : saidBy(agent.name, '');
    const lines = [...said.stdout.filter((line) => own === undefined || !line.startsWith(own)), ...said.stderr];
    return readable(lines).slice(-mostLines);
  }

  #untilReset(resetAt: number | undefined): Promise<boolean> | undefined {
    const { ports, stop, rest } = this.#tools;
    const ms = resetAt === undefined ? undefined : Math.max(1000, resetAt - ports.clock.now());
    return ms === undefined || ms > longestWaitMs ? undefined : rest(stop.pause(ms, ports.clock));
  }
}

const mostLines = 40;
const mostWaits = 3;

export const digestOf = (value: unknown): string => hash('sha256', canonicalJson(value as never)).slice(0, 32);

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
