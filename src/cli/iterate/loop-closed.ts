import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { join, relative } from 'node:path';
import { newFolder } from '../../adapters/disk/new-folder.js';
import { filterFix, filterWords } from '../../adapters/git/filtered-files.js';
import type { Unkeepable } from '../../adapters/iteration/iteration-as-kept.js';
import type { IterationCheckout } from '../../adapters/iteration/iteration-checkout.js';
import { type LoopRules, lookAtUnkept } from '../../adapters/iteration/loop-files.js';
import { moveAway } from '../../adapters/watch/move-away.js';
import type { OpenIteration } from '../../model/state/iteration-state.js';
import { listed } from '../../report/words/phrase.js';

export interface ClosedTools {
  readonly checkout: IterationCheckout;
  readonly rules: LoopRules;
  /** Absolute: where it is kept. */
  evidence(): string;
}

/** What stands among the files of a loop since the iteration began, and no commit can hold: repositories, names that are no text, content that git refuses, submodules. */
export async function closedSince(
  { repositories: known = [] }: OpenIteration,
  { checkout, rules }: Pick<ClosedTools, 'checkout' | 'rules'>,
): Promise<{
  readonly repositories: readonly string[];
  readonly odd: readonly Unkeepable[];
}> {
  const { repositories } = lookAtUnkept(rules);
  return { repositories: repositories.filter((path) => !known.includes(path)), odd: await checkout.unkeepable() };
}

/** Why such an iteration has failed; undefined where there is nothing of that kind. */
export async function closedWords(open: OpenIteration, tools: ClosedTools): Promise<string | undefined> {
  const { repositories, odd } = await closedSince(open, tools);
  const filtered = odd.filter(({ kind }) => kind === 'filter');
  const found = [...repositories, ...odd.filter((one) => !filtered.includes(one)).map(({ path }) => path)];
  if (found.length === 0) return filterProblem(filtered);
  const isOdd = (kind: Unkeepable['kind']): boolean => odd.some((one) => one.kind === kind);
  const what = [
    ...(repositories.length > 0 || isOdd('name') ? ['a repository of its own'] : []),
    ...(isOdd('name') ? ['a name that is no text'] : []),
    ...(isOdd('submodule') ? ['a submodule'] : []),
    ...(isOdd('content') ? ['content that git refuses to take in'] : []),
  ].join(' or ');
  return `${listed(found, 6)}: ${what} among the files of the loop, which no commit can hold; it was moved to ${tools.evidence()}`;
}

/** It could be committed, and nobody would have it again as it was measured. */
function filterProblem(filtered: readonly Unkeepable[]): string | undefined {
  const filter = filtered[0]?.filter;
  if (filter === undefined) return undefined;
  const files = filtered.map(({ path }) => path);
  return `${listed(files, 6)}: ${filterWords(filter)}; ${filterFix(filter)}`;
}

/** Out of the project: what is left can be committed, and put back. Again after a crash it does what is left to do. */
export async function moveClosed(open: OpenIteration, tools: ClosedTools): Promise<void> {
  const { rules } = tools;
  const { repositories, odd: found } = await closedSince(open, tools);
  // What goes through a filter is put back with the rest.
  const odd = found.filter(({ kind }) => kind !== 'filter');
  if (repositories.length === 0 && odd.length === 0) return;
  const folder = join(newFolder(tools.evidence(), rules.root), 'left');
  mkdirSync(folder);
  for (const path of repositories) moveAway(rules.root, path, folder);
  // Of a submodule there may be nothing but its commit, and that goes with the rest.
  for (const [at, { kind, file }] of odd.entries()) {
    if (!lstatSync(file, { throwIfNoEntry: false })) continue;
    if (kind === 'submodule') moveAway(rules.root, relative(rules.root, file.toString()), folder);
    else renameSync(file, join(folder, `no-text-${at + 1}`));
  }
}
