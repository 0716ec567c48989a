import type { GoReason, KeptPlace, StayReason } from '../../model/files/kept-place.js';

/** What `clean` knows when it looks at vaults and evidence. Nobody is at work under this agent id by then. */
export interface PlaceFacts {
  /** The project's real folder. */
  readonly root: string;
  readonly vaults: { readonly protect: string; readonly scope: string };
  /** Somebody was at work when a run was cut short, and nobody has looked yet. */
  readonly isNoted?: boolean;
  /** Runs of all agent ids that stay. */
  readonly runs: ReadonlySet<string>;
  /** Runs of this agent id that stay. */
  readonly ownRuns: number;
  /** Runs that go now. */
  readonly removed: ReadonlySet<string>;
  /** Worktrees that the unfinished run goes on in, be they there or not. */
  readonly inUse: readonly string[];
  /** When something was last written in the newest run that stays. */
  readonly newestAt: number | undefined;
  /** What was last written at this time or later stays. */
  readonly endedBefore?: number;
}

export interface PlacePlan {
  readonly remove: readonly { readonly place: KeptPlace; readonly why: GoReason }[];
  /** What nobody seems to need, and stays all the same. */
  readonly spared: readonly { readonly place: KeptPlace; readonly why: StayReason }[];
}

/** Which places may go. Those of projects that are there and have another agent id, or are other projects, are theirs to clean. */
export function planPlaces(places: readonly KeptPlace[], facts: PlaceFacts): PlacePlan {
  const remove: { place: KeptPlace; why: GoReason }[] = [];
  const spared: { place: KeptPlace; why: StayReason }[] = [];
  for (const place of places) {
    const fate = place.kind === 'vault' ? fateOfVault(place, facts) : fateOfEvidence(place, facts);
    if (fate && 'go' in fate) remove.push({ place, why: fate.go });
    else if (fate) spared.push({ place, why: fate.stay });
  }
  return { remove, spared };
}

type Fate = { readonly go: GoReason } | { readonly stay: StayReason } | undefined;

function fateOfVault(place: KeptPlace, facts: PlaceFacts): Fate {
  const { vaults, ownRuns, inUse } = facts;
  // It goes at the end of every run by itself. Until a run that was cut short goes on, it says what to put back.
  if (place.name === vaults.scope) return facts.isNoted && ownRuns > 0 ? undefined : { go: 'cut-short' };
  if (place.name === vaults.protect) return ownRuns === 0 ? { go: 'run-gone' } : undefined;
  // What is protected in a worktree is loaded again when the run goes on, also when the worktree has to be made again.
  if (inUse.some((path) => `${place.root}/`.startsWith(`${path}/`))) return undefined;
  return fateByProject(place, facts);
}

function fateOfEvidence(place: KeptPlace, facts: PlaceFacts): Fate {
  const { root, runs, removed, newestAt, endedBefore } = facts;
  if (runs.has(place.name)) return undefined;
  const isOwn = place.root === root || isInState(place, facts);
  if (removed.has(place.name) && (isOwn || place.root === undefined)) return { go: 'run-gone' };
  const isRecent = endedBefore !== undefined && place.lastAt >= endedBefore;
  if (!isOwn) return isRecent ? undefined : fateByProject(place, facts);
  if (isRecent) return undefined;
  // Its run is gone, and not by us. Somebody may have had a reason to make it vanish.
  if (newestAt === undefined) return endedBefore === undefined ? { stay: 'no-runs' } : { go: 'run-gone' };
  return place.lastAt > newestAt ? { stay: 'younger' } : { go: 'run-gone' };
}

function fateByProject(place: KeptPlace, facts: PlaceFacts): Fate {
  const { standing } = place;
  if (standing === undefined) return { stay: 'unmarked' };
  if (standing === 'there') return undefined;
  // Its disk is there: it is that of the project.
  return standing === 'gone' || isInState(place, facts) ? { go: 'project-gone' } : { stay: 'not-mounted' };
}

/** Of a worktree of this project. */
const isInState = (place: KeptPlace, { root }: PlaceFacts): boolean =>
  place.root?.startsWith(`${root}/.autoresearch/`) === true;
