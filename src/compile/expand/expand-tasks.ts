import type { TaskItem, TaskPart } from '../../model/agents/task-item.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Stage } from '../../model/generated/config.js';
import { globsMayMeet, isGlob } from '../../model/glob.js';
import { pointerOf } from '../../model/pointer.js';
import type { GlobMatch } from '../../source/glob.js';
import type { Problems } from '../problems.js';

/** What the task files of a stage say now. */
export type TaskFiles =
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong'; readonly problems: readonly Diagnostic[] }
  | { readonly kind: 'read'; readonly items: readonly TaskItem[]; readonly warnings: readonly string[] };

/** One task that a stage with task files stands for, and how it differs from what the stage says. */
export interface Expanded {
  readonly id: string;
  readonly part: TaskPart;
  readonly stage: Stage;
  /** Tasks of the same stage that come before; absent: what the stage itself needs. */
  readonly after?: readonly string[];
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly scope?: readonly string[];
}

/**
 * First the list is read, then each of its tasks is done, then all of them are looked at together. The last one bears the
 * stage's name, outputs and gate, so that whoever needs the stage needs all of it.
 */
export function expandTasks(
  name: string,
  stage: Stage,
  { from, files, problems, match, nobodyAsked }: ExpandTools,
): readonly Expanded[] {
  if (stage.matrix)
    problems.add({
      code: 'AR512',
      message: `stage "${name}" has a matrix and a task file`,
      at: { kind: 'config', pointer: pointerOf('stages', name, 'matrix'), key: true },
      hint: 'Give the matrix to a stage of its own',
    });
  if (files.kind === 'wrong') for (const problem of files.problems) problems.add(problem);
  const read = files.kind === 'read' ? files.items : [];
  const warnings = files.kind === 'read' && files.warnings.length > 0 ? { warnings: files.warnings } : {};
  const listId = `${name}:tasks`;
  const idOf = (id: string): string => `${name}:${id.replace(/[^A-Za-z0-9._+-]/g, '_')}`;
  const ids = new Map<string, string>([[listId, 'tasks']]);
  const items = read.filter(({ id }) => {
    const before = ids.get(idOf(id));
    if (before === undefined) ids.set(idOf(id), id);
    else problems.add(sameName(name, id, before));
    return before === undefined;
  });
  const { agent: _agent, scope: _scope, isolation: _isolation, gate, outputs, schema, mirror, ...plain } = stage;
  const { locks: _locks, commit: _commit, retry: _retry, when: _when, ...whole } = plain;
  const isolated = (stage.isolation ?? 'worktree') === 'worktree';
  const list: Expanded = {
    id: listId,
    part: { kind: 'list', ...(files.kind === 'read' ? { tasks: items.length } : {}), ...warnings },
    stage: { ...whole, ...(stage.when === undefined ? {} : { when: stage.when }) },
    inputs: from,
  };
  const each = items.map((item): Expanded => {
    const { gate: _gate, outputs: _outputs, schema: _schema, mirror: _mirror, ...own } = stage;
    for (const file of item.files) if (!isInside(file, stage.scope, match)) problems.add(outside(name, item, file));
    if (!item.autonomous && nobodyAsked) problems.add(asksPerson(name, item));
    const scope = item.files.length > 0 ? [...item.files, item.summary] : stage.scope;
    return {
      id: idOf(item.id),
      part: { kind: 'item', item, isolated },
      stage: {
        ...own,
        ...(isolated ? { isolation: 'worktree' } : {}),
        ...(item.autonomous ? {} : { gate: 'human' }),
        retry: stage.retry ?? { attempts: 3 },
      },
      after: [listId, ...item.dependsOn.map(idOf)],
      outputs: [item.summary],
      ...(scope ? { scope } : {}),
    };
  });
  const last: Expanded = {
    id: name,
    part: { kind: 'whole', items: items.map(({ id, files, summary }) => ({ id, files, summary })), isolated },
    stage: {
      ...whole,
      // What it runs was written by agents, and has nothing to do in the checkout.
      ...(isolated ? { isolation: 'worktree' } : {}),
      ...(gate === undefined ? {} : { gate }),
      ...(outputs === undefined ? {} : { outputs }),
      ...(schema === undefined ? {} : { schema }),
      ...(mirror === undefined ? {} : { mirror }),
    },
    after: [listId, ...each.map(({ id }) => id)],
  };
  return [list, ...each, last];
}

export interface ExpandTools {
  /** Paths and globs of the task files. */
  readonly from: readonly string[];
  readonly files: TaskFiles;
  readonly problems: Problems;
  readonly match: GlobMatch;
  /** In autonomous mode, when nothing stands in for a person. */
  readonly nobodyAsked: boolean;
}

/** What cannot be told to lie inside is not. */
function isInside(file: string, scope: readonly string[] | undefined, match: GlobMatch): boolean {
  if (!scope) return true;
  if (!isGlob(file)) return scope.some((pattern) => match(pattern, file));
  return scope.some((pattern) => globsMayMeet(pattern, file) && match(pattern, file.replace(/\*+|\?/g, 'x')));
}

const outside = (stage: string, { id, file }: TaskItem, wanted: string): Diagnostic => ({
  code: 'AR513',
  message: `task "${id}" in ${file} wants to write ${wanted}, which is not in the scope of stage "${stage}"`,
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'scope') },
  hint: 'Widen the scope if that is right, or correct the task file',
});

const asksPerson = (stage: string, { id, file }: TaskItem): Diagnostic => ({
  code: 'AR333',
  message: `task "${id}" in ${file} waits for a person, and in autonomous mode nobody is asked`,
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'with') },
  hint: 'Say what stands in: autonomous: { human: auto-judge, judge: NAME, criteria: […] }, or { human: fail }',
});

const sameName = (stage: string, id: string, other: string): Diagnostic => ({
  code: 'AR512',
  message: `the tasks "${id}" and "${other}" would both be called ${stage}:${id.replace(/[^A-Za-z0-9._+-]/g, '_')}`,
  at: { kind: 'config', pointer: pointerOf('stages', stage, 'with') },
  hint: 'Give them ids that differ in letters, digits or . _ + -; "tasks" is taken',
});
