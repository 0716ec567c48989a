import type { StageContext, StageResult, TaskPart } from 'autoresearch';

type Whole = Extract<TaskPart, { kind: 'whole' }>;

/**
 * A second look when all tasks are done, at what is there rather than at what was said: each has left its summary, there is
 * a commit that brought it, and that commit changed nothing but what the task had declared.
 */
export async function checkWhole(
  { items, isolated }: Whole,
  verify: readonly string[],
  context: StageContext,
): Promise<StageResult> {
  const problems: string[] = [];
  for (const item of items) {
    const found = await problemOf(item, isolated, context);
    if (found !== undefined) problems.push(`${item.id}: ${found}`);
  }
  if (items.length === 0) problems.push('there are no tasks');
  if (problems.length > 0) return { ok: false, failure: { code: 'behaviour-failed', detail: problems.join('; ') } };
  for (const command of verify) {
    context.log(`verify: ${command}`);
    const end = await context.command(command);
    if (!end.ok) return end;
  }
  return { ok: true, summary: `${items.length === 1 ? 'one task' : `all ${items.length} tasks`} done` };
}

async function problemOf(
  { summary, files }: Whole['items'][number],
  isolated: boolean,
  context: StageContext,
): Promise<string | undefined> {
  if (context.listFiles([summary]).length === 0) return `there is no ${summary}`;
  const text = await context.readFile(summary);
  if (!/^status: complete$/m.test(text)) return `${summary} does not say that it is complete`;
  if (!isolated) return undefined;
  const last = await context.command(['git', 'log', '-1', '--no-merges', '--format=%H', '--', summary], {
    capture: true,
    cwd: context.root,
  });
  const commit = last.ok ? last.stdout.trim() : '';
  if (commit === '') return `no commit has brought ${summary}`;
  const shown = await context.command(
    ['git', '-c', 'core.quotePath=off', 'show', '--format=', '--name-only', '--no-renames', '--relative', commit],
    { capture: true, cwd: context.root },
  );
  if (!shown.ok) return `commit ${commit.slice(0, 12)} cannot be read`;
  if (files.length === 0) return undefined;
  const changed = shown.stdout.split('\n').filter((file) => file !== '');
  const declared = new Set(await context.matching([...files, summary], changed));
  const more = changed.filter((file) => !declared.has(file));
  return more.length === 0
    ? undefined
    : `commit ${commit.slice(0, 12)} changed ${more.join(', ')}, which the task had not declared`;
}
