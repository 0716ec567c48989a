import type { CallSignals } from '../../model/agents/agent.js';
import type { ReplyForm, WorkReply } from '../../model/agents/reply.js';
import type { Failure } from '../../model/failure.js';
import type { SpendRole } from '../../model/money/spend.js';
import type { Task } from '../../model/plan.js';
import type { AttemptFolder } from '../../model/ports.js';
import type { AgentEnd, AgentWish } from '../../model/stage.js';
import type { AttemptPorts } from '../attempt/attempt-ports.js';
import { saidBy } from '../errors/past-trouble.js';
import { violation } from '../protect/violation.js';
import type { AskDesk } from './ask-desk.js';
import type { Asked } from './asked.js';

export interface TaskQuestion {
  readonly task: Task;
  readonly attempt: number;
  readonly folder: AttemptFolder;
  readonly env: { readonly [name: string]: string };
  readonly signals: CallSignals;
  /** What the attempt before printed, if the prompt tells of it. */
  readonly quoted?: readonly string[];
  /** The folder of the next call; no two calls of an attempt have the same. */
  nameOf(role: SpendRole): string;
  /** Whom to ask instead of the stage's agent, to mend something. */
  readonly fixer?: string;
}

/** Asks the agent of a stage on behalf of its behaviour. Every end that is not a usable reply becomes a failure. */
export async function askForTask<Form extends ReplyForm>(
  wish: AgentWish<Form>,
  { task, attempt, folder, env, signals, quoted, nameOf, fixer }: TaskQuestion,
  { desk, ports }: { readonly desk: AskDesk; readonly ports: AttemptPorts },
): Promise<AgentEnd<Form>> {
  const agent = fixer ?? task.agent?.name;
  if (agent === undefined) return failed({ code: 'behaviour-failed', detail: 'the stage has no agent to ask' });
  const role = fixer !== undefined ? 'fixer' : wish.reply === 'work' ? 'author' : 'reviewer';
  let dir: string | undefined;
  const asked = await desk.ask(
    {
      task,
      attempt,
      to: agent,
      role,
      form: wish.reply,
      prompt: wish.prompt,
      access: wish.access,
      ...(wish.helpers === undefined ? {} : { helpers: wish.helpers }),
      ...(quoted ? { quoted } : {}),
      env,
      dirOf() {
        dir = ports.openFix(task, attempt, nameOf(role)).dir;
        return dir;
      },
      said: (line) => folder.log(saidBy(agent, line)),
    },
    signals,
  );
  if (dir !== undefined) ports.showCall(folder, dir);
  if (asked.kind === 'failed') {
    const [first = '', ...more] = asked.detail.split('\n');
    for (const line of more) folder.log(line);
    return failed(failureOf({ ...asked, detail: first }, agent));
  }
  if (asked.kind !== 'replied') return failed(failureOf(asked, agent));
  if (wish.reply === 'work') {
    const bad = badEnd(asked.reply as WorkReply, agent);
    if (bad) return failed(bad);
  }
  return { ok: true, reply: asked.reply, files: asked.files };
}

function badEnd({ outcome, summary, reason, files }: WorkReply, agent: string): Failure | undefined {
  if (outcome === 'done') return undefined;
  if (outcome === 'failed') return { code: 'agent-gave-up', agent, summary };
  const paths = files.map(({ path }) => path);
  return { code: 'agent-escalated', agent, reason: reason ?? 'none', summary, files: paths };
}

function failureOf(asked: Exclude<Asked<never>, { kind: 'replied' }>, agent: string): Failure {
  switch (asked.kind) {
    case 'cancelled':
      return { code: 'cancelled', signal: 'a stop' };
    case 'over-budget':
      return { code: 'budget-spent', spent: asked.spent };
    case 'violated':
      return violation(agent, asked);
    case 'failed': {
      const { why, detail, resetAt } = asked;
      if (why === 'unusable') return { code: 'agent-reply-unusable', agent, detail };
      return { code: 'agent-failed', agent, why, detail, ...(resetAt === undefined ? {} : { resetAt }) };
    }
  }
}

const failed = (failure: Failure) => ({ ok: false, failure }) as const;
