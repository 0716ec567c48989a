import type { Config, Stage } from './generated/config.js';

export type StageEntry = readonly [name: string, stage: Stage];

/**
 * The stages of a config in the order in which they are written. A config is not changed once it is read, and to walk through a map of
 * ten thousand anew takes longer than what is then done with each, so the list is made once.
 */
export function stageList({ stages }: Pick<Config, 'stages'>): readonly StageEntry[] {
  let list = lists.get(stages);
  if (list === undefined) {
    list = Object.entries(stages);
    lists.set(stages, list);
  }
  return list;
}

const lists = new WeakMap<Config['stages'], readonly StageEntry[]>();
