import type { RunStore } from '../../adapters/journal/run-store.js';
import { FailureError } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import type { Files } from '../../model/ports.js';
import type { RunState } from '../../model/state/run-state.js';
import { iterationWords } from '../../report/iterations/iteration-words.js';
import { loadGlobMatch } from '../../source/glob.js';
import { filesThen } from './files-then.js';
import type { LoopPlace } from './loop-place.js';

export interface IterationFilesInput {
  readonly place: LoopPlace;
  readonly store: RunStore;
  readonly state: RunState;
  readonly plan: Plan | undefined;
}

/** The files of the project as the run of an iteration left them, whatever later ones made of them. */
export async function iterationFiles(
  now: Files,
  { place, store, state, plan }: IterationFilesInput,
): Promise<{
  readonly files: Files;
  /** Outputs that a later iteration made anew, and who it was. */
  readonly madeAnew: ReadonlyMap<string, string>;
}> {
  const loop = await filesThen(place, state.run, plan?.iterate?.files ?? []);
  const own = new Map([...outputsOf(state)].filter(([path]) => !loop.has(path)));
  const madeAnew = laterMakers(own, now, { store, state });
  const then = new Map<string, string | undefined>(loop);
  for (const path of madeAnew.keys()) then.set(path, own.get(path)!);
  if (then.size === 0) return { files: now, madeAnew };
  const match = await loadGlobMatch();
  const files: Files = {
    ...now,
    digest: (path) => then.get(path) ?? now.digest(path),
    expand(patterns) {
      const others = now.expand(patterns).filter((path) => !then.has(path));
      const known = [...then].flatMap(([path, digest]) =>
        digest !== undefined && patterns.some((pattern) => match(pattern, path)) ? [path] : [],
      );
      return [...others, ...known].sort();
    },
  };
  return { files, madeAnew };
}

const outputsOf = ({ tasks }: RunState): ReadonlyMap<string, string> =>
  new Map(
    [...tasks.values()].flatMap(({ outputs = [] }) => outputs.map(({ path, digest }) => [path, digest] as const)),
  );

/** Newest first: what is there is what the last of them made, or somebody else was at it. */
function laterMakers(
  own: ReadonlyMap<string, string>,
  now: Files,
  { store, state }: { readonly store: RunStore; readonly state: RunState },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = new Set([...own].filter(([path, digest]) => digestNow(now, path) !== digest).map(([path]) => path));
  for (const id of store.ids()) {
    if (id === state.run || open.size === 0) break;
    const later = stateOf(store, id);
    if (later?.name !== state.name || !later.iteration) continue;
    const made = outputsOf(later);
    for (const path of [...open]) {
      if (!made.has(path)) continue;
      open.delete(path);
      if (made.get(path) === digestNow(now, path)) found.set(path, `${iterationWords(later.iteration)}, run ${id}`);
    }
  }
  return found;
}

function digestNow(files: Files, path: string): string | undefined {
  try {
    return files.digest(path);
  } catch {
    return undefined;
  }
}

/** One that cannot be read made nothing that counts. */
function stateOf(store: RunStore, id: string): RunState | undefined {
  try {
    return store.read(id)?.state;
  } catch (error) {
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}
