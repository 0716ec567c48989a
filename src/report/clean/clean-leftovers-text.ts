import type { GoReason, KeptPlace, StayReason } from '../../model/files/kept-place.js';
import type { CleanedTrees, Leftover } from '../../model/files/leftover.js';
import { bytesText } from '../words/bytes-text.js';
import { type Paint, paint } from '../words/paint.js';
import { plural, shellWord, shownPath } from '../words/phrase.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { countedPlaces } from './clean-text.js';

export interface CleanedPlacesInput {
  readonly remove: readonly { readonly place: KeptPlace; readonly why: GoReason }[];
  readonly spared: readonly { readonly place: KeptPlace; readonly why: StayReason }[];
  readonly strange: readonly string[];
}

export interface LeftoversTextOptions {
  readonly isDryRun: boolean;
  readonly color: boolean;
  readonly cwd: string;
  readonly unicode?: boolean;
}

/** What `clean` removed besides runs, or would, and what it found and kept; empty when there was nothing. */
export function leftoversText(
  trees: CleanedTrees,
  places: CleanedPlacesInput,
  { isDryRun, color, cwd, unicode = true }: LeftoversTextOptions,
): string {
  const style = { p: paint(color), s: symbols(unicode), cwd, verb: isDryRun ? 'Would remove' : 'Removed' };
  return [...treeLines(trees, style), ...placeLines(places, style)].map((line) => `${line}\n`).join('');
}

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
  readonly cwd: string;
  readonly verb: string;
}

function treeLines(
  { removed, stays, inUse = [], strange, problem }: CleanedTrees,
  { p, s, cwd, verb }: Style,
): string[] {
  if (strange !== undefined)
    return [
      p.bold('Worktrees were left alone'),
      `  ${s.cached} ${shownPath(strange, cwd)}  ${p.dim(`kept: it is a link or no folder; look: ls -ld ${shellWord(strange)}`)}`,
    ];
  if (problem)
    return [
      p.bold('Worktrees could not be looked at'),
      `  ${s.cached} ${shownPath(problem.dir, cwd)}  ${p.dim(`kept: ${problem.what}; look: ls -lA ${shellWord(problem.dir)}`)}`,
    ];
  if (removed.length + stays.length + inUse.length === 0) return [];
  return [
    p.bold(removed.length === 0 ? 'No worktree to remove' : `${verb} ${plural(removed.length, 'worktree')}`),
    ...removed.map((one) => `  ${s.failed} ${nameOf(one, cwd)}  ${p.dim('nothing in it that is not merged')}`),
    ...inUse.map((one) => `  ${s.cached} ${nameOf(one, cwd)}  ${p.dim('kept: the unfinished run goes on in it')}`),
    ...stays.map(
      ({ leftover, why }) =>
        `  ${s.cached} ${nameOf(leftover, cwd)}  ${p.dim(`kept: ${whyText(leftover, why)}; look: ${lookCommand(leftover)}`)}`,
    ),
  ];
}

/** How a leftover is called: by its branch, or its folder where nobody knows the branch. */
const nameOf = ({ branch, path }: Leftover, cwd: string): string => branch ?? shownPath(path ?? '?', cwd);

function whyText({ reason, commits }: Leftover, why: string): string {
  if (reason === 'kept') return `${plural(commits.length, 'commit')} that an agent made by itself`;
  if (reason === 'unmerged')
    return `${plural(commits.length, 'commit')} that ${commits.length === 1 ? 'is' : 'are'} not merged`;
  return why;
}

/** What a person types to see what is in it. */
export function lookCommand({ reason, branch, path }: Leftover): string {
  if (reason === 'dirty' && path !== undefined) return `git -C ${shellWord(path)} status --ignored`;
  if ((reason === 'kept' || reason === 'unmerged' || reason === 'done') && branch !== undefined)
    return `git log -p HEAD..${shellWord(branch)}`;
  return `ls -lA ${shellWord(path ?? '.')}`;
}

function placeLines({ remove, spared, strange }: CleanedPlacesInput, { p, s, verb }: Style): string[] {
  if (remove.length + spared.length + strange.length === 0) return [];
  const vaults = remove.filter(({ place }) => place.kind === 'vault').length;
  const bytes = remove.reduce((sum, { place }) => sum + place.bytes, 0);
  const head =
    remove.length === 0
      ? 'No vault or evidence to remove'
      : `${verb} ${countedPlaces(vaults, remove.length - vaults)}, ${bytesText(bytes)}`;
  return [
    p.bold(head),
    ...remove.map(({ place, why }) => `  ${s.failed} ${place.path}  ${p.dim(goWords[why](place))}`),
    ...spared.map(({ place, why }) => `  ${s.cached} ${place.path}  ${p.dim(`kept: ${stayWords[why](place)}`)}`),
    ...strange.map((path) => `  ${s.cached} ${path}  ${p.dim('kept: autoresearch did not make it, or it is a link')}`),
  ];
}

/** Total on purpose. */
const goWords: Record<GoReason, (place: KeptPlace) => string> = {
  'project-gone': ({ root }) => `what it belongs to is gone: ${root}`,
  'run-gone': ({ kind, name }) => (kind === 'vault' ? 'no run is left that it belongs to' : `run ${name} is gone`),
  'cut-short': () => 'copies for a run that was cut short',
};

/** Total on purpose. */
const stayWords: Record<StayReason, (place: KeptPlace) => string> = {
  younger: ({ name }) => `run ${name} is gone, but this is younger than the runs that are left`,
  'no-runs': ({ name }) => `run ${name} is gone, and no run is left; --older lets it go`,
  'not-mounted': ({ root }) => `${root} is gone, or its disk is not mounted`,
  unmarked: () => 'nothing says whose it is; look at it and remove it by hand',
};
