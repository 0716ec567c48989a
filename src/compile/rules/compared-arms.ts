import { globsMayMeet, isWithin } from '../../model/glob.js';
import type { JsonObject } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import { pointerOf } from '../../model/pointer.js';
import { didYouMean } from '../../source/did-you-mean.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';
import { normalPath } from './path-rules.js';

/**
 * Whether the arms and the number that a comparison names are in the table that it reads, where the stage that makes the table
 * says which ones it reads. Otherwise a misspelt name would be found after everything was trained.
 */
export function checkCompared(drafts: readonly Draft[], problems: Problems): void {
  for (const { task } of drafts.filter(({ task: { uses } }) => uses === 'compare')) {
    const { results, metric } = task.options;
    checkMaker(task, drafts, problems);
    const maker = drafts.find(({ task: other }) => makesTable(other, results));
    if (!maker) continue;
    const about = { stage: task.stage, from: maker.task.stage, problems };
    const { each = {}, metrics = {} } = maker.task.options as { each?: JsonObject; metrics?: JsonObject };
    complain(about, { key: 'metric', name: metric, known: Object.keys(metrics), what: 'metric' });
    const { arm = 'arm', seed = 'seed' } = task.options;
    const isTold = [
      { key: 'arm', name: arm },
      { key: 'seed', name: seed },
    ].map((one) => complain(about, { ...one, known: Object.keys(each), what: 'name in each' }));
    const arms = each[String(arm)];
    if (!isTold[0] || !Array.isArray(arms)) continue;
    for (const { key, name } of armsNamed(task.options))
      complain(about, { key, name, known: arms.map(String), what: 'arm' });
  }
}

/** A table that no task has among its outputs would be found after everything was trained. */
function checkMaker(task: Draft['task'], drafts: readonly Draft[], problems: Problems): void {
  const { results } = task.options;
  // What the tasks of a file make is known when the file is there.
  if (typeof results !== 'string' || drafts.some((draft) => draft.task.part)) return;
  const table = normalPath(results);
  const makesIt = (paths: readonly string[]): boolean =>
    paths.some((path) => isWithin(table, path) || globsMayMeet(path, table));
  if (task.inputs.includes(table) || drafts.some((draft) => makesIt(draft.task.outputs))) return;
  const writer = drafts.find(({ writes }) => makesIt(writes));
  problems.add({
    code: 'AR369',
    message: writer
      ? `stage "${writer.task.stage}" writes ${results}, and does not have it among its outputs`
      : `no stage has ${results} among its outputs`,
    at: { kind: 'config', pointer: pointerOf('stages', task.stage, 'with', 'results') },
    hint: writer
      ? `Name it under outputs of "${writer.task.stage}"`
      : `Name it under outputs of the stage that makes it; a table from elsewhere under inputs of "${task.stage}"`,
  });
}

/** Whether a task writes the table that a comparison reads. */
export const makesTable = (
  { uses, options, skip }: Pick<Task, 'uses' | 'options' | 'skip'>,
  results: unknown,
): boolean =>
  uses === 'extract' &&
  !skip &&
  typeof options.to === 'string' &&
  typeof results === 'string' &&
  plain(options.to) === plain(results);

const plain = (path: string): string => path.replace(/^(\.\/+)+/, '');

interface Named {
  readonly key: string;
  readonly name: unknown;
}

function armsNamed({ baseline, variants, reproduce, configs }: JsonObject): Named[] {
  const replacement = (reproduce as JsonObject | undefined)?.replacement;
  return [
    { key: 'baseline', name: baseline },
    ...((variants as string[] | undefined) ?? []).map((name) => ({ key: 'variants', name })),
    ...(replacement === undefined ? [] : [{ key: 'reproduce', name: replacement }]),
    ...Object.keys((configs as JsonObject | undefined) ?? {}).map((name) => ({ key: 'configs', name })),
  ];
}

/** True: it is known. */
function complain(
  { stage, from, problems }: { readonly stage: string; readonly from: string; readonly problems: Problems },
  { key, name, known, what }: Named & { readonly known: readonly string[]; readonly what: string },
): boolean {
  const word = String(name);
  if (known.includes(word)) return true;
  const list = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const hint = didYouMean(word, known) ?? `Name one that it has, or add "${word}" to stage "${from}"`;
  problems.add({
    code: 'AR327',
    message: `${key}: stage "${from}" makes the table, and has no ${what} "${word}"; ${list}`,
    at: { kind: 'config', pointer: pointerOf('stages', stage, 'with', key) },
    hint,
  });
  return false;
}
