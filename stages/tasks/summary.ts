import type { StageContext, TaskItem, WorkReply } from 'autoresearch';

interface Done {
  readonly reply: WorkReply;
  /** What the task may change and what it did change. */
  readonly files: readonly string[];
  readonly checks: readonly string[];
  readonly context: Pick<StageContext, 'agent' | 'digest'>;
}

/**
 * What was done, as the runner saw it; what the agent says of it is marked as such. The digests make it stand for the files:
 * who needs the task compares summaries, and is done again when one of its files has become another.
 */
export function summaryText({ id, title, file }: TaskItem, { reply, files, checks, context }: Done): string {
  const list = (items: readonly string[], none: string): string =>
    items.length === 0 ? none : items.map((item) => `- ${item}`).join('\n');
  return `---
task: ${JSON.stringify(id)}
status: complete
source: ${JSON.stringify(file)}
agent: ${JSON.stringify(context.agent ?? '')}
---

# ${oneLine(title)}

## Files

${list(
  files.map((path) => `\`${path}\` ${context.digest(path)?.slice(0, 16) ?? 'removed'}`),
  'None.',
)}

## Checks that passed

${list(
  checks.map((check) => `\`${oneLine(check)}\``),
  'None were declared.',
)}

## What the agent says

${quoted(reply.summary)}${reply.notes === undefined ? '' : `\n>\n${quoted(reply.notes)}`}
`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const quoted = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
