import type { Task } from '../../model/plan.js';
import { loadGlobMatch } from '../../source/glob.js';
import { type Claims, writtenBy } from './claims.js';

/** Which of the files that change from now on are whose, and which nobody may have changed. */
export interface Bounds {
  /** Those that no other task, which ran meanwhile, has declared. */
  own(files: readonly string[]): readonly string[];
  forbidden(files: readonly string[]): readonly string[];
  /** Those that no scope could allow. */
  held(files: readonly string[]): readonly string[];
  /** Those that are protected. */
  guarded(files: readonly string[]): readonly string[];
  /** The tasks that have run meanwhile. */
  beside(): readonly string[];
  end(): void;
  /** Globs that may be written; absent: everything. */
  readonly allowed?: readonly string[];
}

export interface BoundBy {
  readonly access: 'read' | 'write';
  readonly claims: Claims;
  /** What no agent may change, whatever its scope. */
  readonly held: readonly string[];
  /** What the whole study protects. */
  readonly protect: readonly string[];
}

/** `read`: nothing may be changed. `write`: the scope and the outputs; anything that is not held where there is no scope. */
export async function boundsOf(task: Task, { access, claims, held, protect }: BoundBy): Promise<Bounds> {
  const matches = await loadGlobMatch();
  const others = claims.watch(task.id);
  const fits = (file: string, patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matches(pattern, file));
  const own = (files: readonly string[]): readonly string[] => {
    const claimed = others.patterns();
    // What nobody may change no other task can have been allowed to.
    return claimed.length === 0 ? files : files.filter((file) => fits(file, held) || !fits(file, claimed));
  };
  const isBound = access === 'read' || task.scope !== undefined;
  const allowed = access === 'read' ? [] : writtenBy(task);
  return {
    own,
    ...(isBound ? { allowed } : {}),
    forbidden(files) {
      const isForbidden = (file: string): boolean => fits(file, held) || (isBound && !fits(file, allowed));
      return own(files).filter(isForbidden);
    },
    held: (files) => files.filter((file) => fits(file, held)),
    guarded: (files) => files.filter((file) => fits(file, [...protect, ...(task.protect ?? [])])),
    beside: () => others.others(),
    end: () => others.end(),
  };
}
