import {
  artifactWish,
  checkArtifact,
  checkLink,
  defineStage,
  type StageContext,
  type StageResult,
  type TaskItem,
  type TaskPart,
} from 'autoresearch';
import { checkWhole } from './check-whole.js';
import { checksOf, options, sourcesOf, type TasksOptions, verifyOf } from './options.js';
import { summaryText } from './summary.js';
import { workPackage } from './work-package.js';

export default defineStage({
  name: 'tasks',
  summary:
    'Carries out a file of tasks, each by an agent in a worktree of its own, in the order they depend on each other',
  version: '2',
  options,
  expands: (given) => ({ from: sourcesOf(given), ...(given.done ? { done: given.done } : {}) }),
  describe(given, { part }) {
    const from = sourcesOf(given).join(', ');
    if (part?.kind === 'item') {
      const { title, verify } = part.item;
      const asks = { role: 'author' as const, helpers: given.helpers ?? 0 };
      return { summary: title, commands: [...verify, ...verifyOf(given)], asks };
    }
    if (part?.kind === 'whole')
      return { summary: `looks at ${wholeText(part.items.length)} of ${from} together`, commands: verifyOf(given) };
    const tasks = part?.kind === 'list' ? part.tasks : undefined;
    return {
      summary:
        tasks === undefined
          ? `reads ${from}; its tasks are planned when it is there`
          : `reads ${from}: ${counted(tasks)}${oddText(part)}`,
    };
  },
  records: () => [],
  async run(given, context) {
    const { part } = context;
    if (part?.kind === 'item') return carriedOut(given, part, context);
    if (part?.kind === 'whole') return checkWhole(part, verifyOf(given), context);
    if (part?.kind !== 'list') return failed('the stage has no task file');
    for (const warning of part.warnings ?? []) context.log(warning);
    return { ok: true, summary: `read ${sourcesOf(given).join(', ')}` };
  },
  /** Together with what other tasks have merged meanwhile. */
  async recheck(given, context) {
    if (context.part?.kind !== 'item') return { ok: true };
    return (await verified(given, context.part.item, context)) ?? { ok: true };
  },
});

async function carriedOut(given: TasksOptions, { item }: Item, context: StageContext): Promise<StageResult> {
  const prompt = await workPackage(given, item, context);
  const done = await context.ask({ prompt, reply: 'work', access: 'write', helpers: given.helpers ?? 0 });
  if (!done.ok) return done;
  // A task that is done again may find all of it done; then the checks have to say so.
  const isChecked = checksOf(given, item).length + item.mustHaves.artifacts.length > 0;
  if (done.files.length === 0 && !isChecked)
    return failed('the agent says that it is done, but no file has changed, and nothing can be checked');
  const wrong = await verified(given, item, context);
  if (wrong) return wrong;
  const changed = done.files.filter((file) => file !== item.summary);
  const ignored = changed.filter((file) => done.unkept?.some((one) => one === file || isBelow(file, one)));
  if (ignored.length > 0) return failed(`${ignored.join(', ')} would not be merged, because git is told to ignore it`);
  // Those that it did not have to touch this time are part of what it hands on.
  const files = [...new Set([...changed, ...context.listFiles(item.files)])].sort();
  await context.writeFile(
    item.summary,
    summaryText(item, { reply: done.reply, files, checks: checksOf(given, item), context }),
  );
  return { ok: true, summary: done.reply.summary };
}

type Item = Extract<TaskPart, { kind: 'item' }>;

const isBelow = (file: string, folder: string): boolean => folder.endsWith('/') && file.startsWith(folder);

/** The runner runs the checks; neither the agent nor what it says of them is believed. */
async function verified(given: TasksOptions, item: TaskItem, context: StageContext): Promise<StageResult | undefined> {
  for (const command of checksOf(given, item)) {
    context.log(`verify: ${command}`);
    const end = await context.command(command);
    if (!end.ok) return end;
  }
  const { artifacts, keyLinks } = item.mustHaves;
  const findings = [
    ...(await Promise.all(artifacts.map((artifact) => checkArtifact(artifactWish(artifact), context)))),
    // Plans also draw links between things that are no files; those are for whoever verifies the whole.
    ...(await Promise.all(keyLinks.filter(({ from }) => /[./]/.test(from)).map((link) => checkLink(link, context)))),
  ];
  const gaps = findings.filter(({ holds }) => !holds).map(({ what, detail }) => `${what}: ${detail}`);
  return gaps.length === 0 ? undefined : failed(`must have, and has not: ${gaps.join('; ')}`);
}

/** What is odd in a file is harmless, and somebody may have meant something by it. */
const oddText = (part: TaskPart | undefined): string =>
  part?.kind === 'list' && part.warnings ? `; ${part.warnings.join('; ')}` : '';

/** None are known while there is no file. */
const wholeText = (tasks: number): string => (tasks === 0 ? 'the tasks' : counted(tasks));

const counted = (tasks: number): string => (tasks === 1 ? 'one task' : `${tasks} tasks`);

const failed = (detail: string): StageResult => ({ ok: false, failure: { code: 'behaviour-failed', detail } });
