import { type LoopRules, lookAtLoop } from '../../adapters/iteration/loop-files.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { Iterate } from '../../model/generated/config.js';
import type { Plan } from '../../model/plan.js';
import type { TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../../report/failures/failure-text.js';
import { overspentText } from '../../report/live/overspent-text.js';
import { listed } from '../../report/words/phrase.js';
import { changedFiles, type Given, givenIn } from '../../run/iterate/changed-meanwhile.js';
import { type Measured, measureRun } from '../../run/iterate/measure-run.js';
import { unsettled } from '../../run/iterate/unsettled.js';

export interface MeasuredIn {
  readonly iterate: Iterate;
  readonly number: number;
  /** In a loop that puts files back. */
  readonly rules?: LoopRules | undefined;
  said?(task: TaskState): { readonly line?: string; readonly log?: string };
  /** Of these files, those that git ignores: none of them is kept. */
  readonly ignored?: ((files: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
}

/** What the run of an iteration came to, with what it may have cost besides, and only if it is what would be kept. */
export async function measured(
  { state, entries }: JournalReading,
  plan: Plan,
  { iterate, number, rules, ignored, said }: MeasuredIn,
): Promise<Measured> {
  const how = measureRun(state!, plan, {
    metric: iterate.metric,
    words: (failure) => failureWords(failure).what,
    overspent: overspentText,
    ...(said ? { said } : {}),
  });
  const open = unsettled(entries);
  const cost = { usd: how.usd + open.usd, unpricedCalls: how.unpricedCalls + open.unpricedCalls };
  const given = rules && number > 0 ? givenIn(entries, plan) : [];
  // One of them is enough: what others found later is held against the same end.
  const folders = given[0] ? { folders: given[0].loop.folders } : {};
  if (how.value === undefined) return { ...how, ...cost, ...folders };
  const changed = await unlikeGiven(given, { rules, ignored });
  if (!changed) return { ...how, ...cost, ...folders };
  const { value: _value, metrics: _metrics, ...rest } = how;
  return { ...rest, ...cost, ...folders, failure: changedWords(changed) };
}

interface Unlike extends Given {
  readonly changed: readonly string[];
}

/** The first of them that was not given what is there now. */
async function unlikeGiven(
  given: readonly Given[],
  { rules, ignored }: Pick<MeasuredIn, 'rules' | 'ignored'>,
): Promise<Unlike | undefined> {
  for (const one of given) {
    const changed = await keptOf(changedFiles(one, lookAtLoop(rules!, one.loop)), ignored);
    if (changed.length > 0) return { ...one, changed };
  }
  return undefined;
}

/** What was changed after the number was measured, when a runner was killed before it had decided: kept, it would be unmeasured. */
export async function unmeasuredWords(
  { entries }: JournalReading,
  plan: Plan,
  kept: Pick<MeasuredIn, 'rules' | 'ignored'>,
): Promise<string | undefined> {
  const found = await unlikeGiven(givenIn(entries, plan), kept);
  if (!found) return undefined;
  const { changed } = found;
  return `${listed(changed, 6)} ${changed.length === 1 ? 'is' : 'are'} no longer what was measured: somebody changed ${changed.length === 1 ? 'it' : 'them'} before it was decided, and it would be kept unmeasured`;
}

/** Of these, those that git does not ignore. */
export async function keptOf(files: readonly string[], ignored: MeasuredIn['ignored']): Promise<readonly string[]> {
  if (files.length === 0 || !ignored) return files;
  const unkept = await ignored(files);
  return files.filter((file) => !unkept.has(file));
}

function changedWords({ task, loop, changed: files }: Unlike): string {
  const [is, was] = files.length === 1 ? ['is', 'it was'] : ['are', 'they were'];
  const isNew = files.every((file) => loop.files[file] === undefined);
  return isNew
    ? `${listed(files, 6)} ${is} new since ${task} began: ${was} written while the iteration was measured, and would be kept unmeasured`
    : `${listed(files, 6)} ${is} no longer what ${task} was given: ${was} changed while the iteration was measured`;
}
