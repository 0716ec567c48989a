import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.js';
import type { Config } from '../../model/generated/config.js';
import type { LoadedBehaviour } from '../../model/loaded-behaviour.js';
import { pointerOf } from '../../model/pointer.js';
import { stageList } from '../../model/stage-list.js';
import { didYouMean } from '../../source/did-you-mean.js';
import { similarLocal } from '../../source/module-path.js';
import { builtInNames, loadBuiltIn } from './built-in-stages.js';
import type { LoadProblem } from './user-behaviour.js';

export interface BehaviourLoading {
  readonly loaded: ReadonlyMap<string, LoadedBehaviour>;
  readonly problems: readonly Diagnostic[];
}

interface LoaderInput {
  readonly config: Config;
  readonly root: string;
  /** What `import … from 'autoresearch'` gives. */
  readonly door: Record<string, unknown>;
}

/** Loads each behaviour that the config names, once, whoever uses it. */
export async function loadBehaviours(input: LoaderInput): Promise<BehaviourLoading> {
  const loaded = new Map<string, LoadedBehaviour>();
  const failed = new Map<string, readonly LoadProblem[]>();
  const problems: Diagnostic[] = [];
  for (const [stage, { uses }] of stageList(input.config)) {
    if (loaded.has(uses)) continue;
    const result = failed.get(uses) ?? (await load(uses, input));
    if (isLoaded(result)) {
      loaded.set(uses, result);
      continue;
    }
    failed.set(uses, result);
    const at = { kind: 'config', pointer: pointerOf('stages', stage, 'uses') } as const;
    problems.push(...result.map((problem) => ({ at, ...problem })));
  }
  return { loaded, problems };
}

const isLoaded = (result: LoadedBehaviour | readonly LoadProblem[]): result is LoadedBehaviour =>
  !Array.isArray(result);

async function load(uses: string, input: LoaderInput): Promise<LoadedBehaviour | LoadProblem[]> {
  const builtIn = await loadBuiltIn(uses);
  if (builtIn) return builtIn;
  const file = fileOf(uses, input.root);
  if (file === undefined) return [unknownBehaviour(uses, input.root)];
  const { loadUserBehaviour } = await import('./user-behaviour.js');
  return loadUserBehaviour(uses, file, input.door);
}

/** A path relative to the config, or a package that the project has installed. */
function fileOf(uses: string, root: string): string | undefined {
  if (uses.startsWith('.') || uses.startsWith('/')) {
    const file = resolve(root, uses);
    return existsSync(file) ? file : undefined;
  }
  try {
    return createRequire(join(root, 'autoresearch.config.js')).resolve(uses);
  } catch {
    // Not installed is an answer here; the caller says so.
    return undefined;
  }
}

function unknownBehaviour(uses: string, root: string): LoadProblem {
  if (uses.startsWith('.') || uses.startsWith('/')) {
    const similar = similarLocal(uses, join(root, 'autoresearch.config.js'));
    const hint = similar === undefined ? 'Paths are relative to the config file' : `Did you mean "${similar}"?`;
    return { code: 'AR302', message: `there is no file ${uses}`, hint };
  }
  const hint =
    (uses === 'gate'
      ? 'A gate is no stage of its own: write gate: { kind: human } into the stage whose result is judged'
      : undefined) ??
    didYouMean(uses, builtInNames) ??
    `Built in are ${builtInNames.join(', ')}; others are a path starting with ./ or an installed package`;
  return { code: 'AR302', message: `unknown behaviour "${uses}"`, hint };
}
