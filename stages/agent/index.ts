import { type AgentEnd, defineStage, type StageContext, type StageResult } from 'autoresearch';
import { kinds, type TaskKind } from './kinds.js';
import { type AgentOptions, options } from './options.js';
import { problemsOf } from './problems.js';
import { workPackage } from './work-package.js';

export default defineStage({
  name: 'agent',
  summary: 'Lets an agent do a piece of work, then checks what came of it',
  version: '1',
  options,
  describe(given, facts) {
    const { template, to, helpers = 0, of } = given;
    const kind = kindOf(given);
    const { role } = kinds[kind];
    const problems = problemsOf(kind, given, facts);
    return {
      summary: `${kind}: ${firstLine(given.instructions ?? given.criteria?.join('; ') ?? template ?? '')}`,
      commands: verifyOf(given),
      ...(template === undefined ? {} : { reads: [template] }),
      ...(to === undefined ? {} : { writes: [to] }),
      asks: { role, helpers, ...(of ? { reviews: of } : {}) },
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: () => [],
  async run(given, context) {
    const kind = kindOf(given);
    const prompt = await workPackage(kind, given, context);
    const { helpers = 0 } = given;
    if (kind === 'review')
      return reviewed(given, await context.ask({ prompt, reply: 'review', access: 'read' }), context);
    const access = kinds[kind].access;
    const done = await context.ask({ prompt, reply: 'work', access, helpers });
    if (!done.ok) return done;
    if (kind === 'analyze') return analyzed(given, done, context);
    if (kinds[kind].mustChange && done.files.length === 0 && context.outputs.length === 0)
      return failed('the agent says that it is done, but no file has changed');
    return (await verified(given, context)) ?? { ok: true, summary: done.reply.summary };
  },
  /** Together with what others have merged meanwhile. */
  async recheck(given, context) {
    return (await verified(given, context)) ?? { ok: true };
  },
});

/** The parent runs the tests; neither the agent nor its helpers are believed about them. */
async function verified(given: AgentOptions, context: StageContext): Promise<StageResult | undefined> {
  for (const command of verifyOf(given)) {
    context.log(`verify: ${command}`);
    const end = await context.command(command);
    if (!end.ok) return end;
  }
  return undefined;
}

type Answered<Form extends 'work' | 'review'> = Extract<AgentEnd<Form>, { ok: true }>;

async function analyzed(
  { to }: AgentOptions,
  { reply }: Answered<'work'>,
  context: StageContext,
): Promise<StageResult> {
  if (reply.notes === undefined) return failed('the agent gave no analysis: "notes" is missing in its reply');
  await context.writeFile(to!, `${reply.notes.trimEnd()}\n`);
  return { ok: true, summary: reply.summary };
}

async function reviewed({ to }: AgentOptions, end: AgentEnd<'review'>, context: StageContext): Promise<StageResult> {
  if (!end.ok) return end;
  const { verdict, reasons } = end.reply;
  // Kept whatever it says: a bad review is a result too.
  await context.writeFile(to!, `${JSON.stringify(end.reply, null, 2)}\n`);
  if (verdict === 'pass') return { ok: true, summary: `review passed: ${reasons[0]}` };
  return { ok: false, failure: { code: 'review-failed', agent: context.agent ?? '', verdict, reasons } };
}

const kindOf = ({ kind }: AgentOptions): TaskKind => kind ?? 'implement';

const verifyOf = ({ verify }: AgentOptions): readonly string[] =>
  verify === undefined ? [] : typeof verify === 'string' ? [verify] : verify;

const failed = (detail: string): StageResult => ({ ok: false, failure: { code: 'behaviour-failed', detail } });

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
