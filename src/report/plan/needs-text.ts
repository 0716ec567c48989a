import type { Task } from '../../model/plan.js';
import { listed } from '../words/phrase.js';
import type { Symbols } from '../words/symbols.js';

/**
 * What the tasks of a group wait for: `prep, data (inferred through data/train.json)`. Needs of one stage are folded when
 * they are many: `train ×10`, or `train ×10, one each` where every task has its own.
 */
export function needsText(tasks: readonly Task[], { stageOf, symbols, most }: NeedsStyle): string {
  const stages = new Map<string, StageNeed>();
  for (const task of tasks) {
    const through = new Map(task.inferred.map((edge) => [edge.task, edge.via]));
    for (const need of task.needs) {
      const stage = stageOf.get(need) ?? need;
      const entry: StageNeed = stages.get(stage) ?? { needs: new Set(), edges: 0, via: new Set(), stated: false };
      if (entry.edges === 0) stages.set(stage, entry);
      entry.needs.add(need);
      entry.edges++;
      const via = through.get(need);
      if (via === undefined) entry.stated = true;
      else entry.via.add(via);
    }
  }
  return [...stages]
    .map(([stage, need]) => stageNeedText(stage, need, { groupSize: tasks.length, symbols, most }))
    .join(', ');
}

export interface NeedsStyle {
  readonly stageOf: ReadonlyMap<string, string>;
  readonly symbols: Symbols;
  /** More needs of one stage than this are folded. */
  readonly most: number;
}

interface StageNeed {
  readonly needs: Set<string>;
  edges: number;
  readonly via: Set<string>;
  /** Written in `needs` by someone, at least once. */
  stated: boolean;
}

function stageNeedText(
  stage: string,
  need: StageNeed,
  style: Omit<NeedsStyle, 'stageOf'> & { groupSize: number },
): string {
  const oneEach = style.groupSize > 1 && need.needs.size > 1 && need.edges === style.groupSize;
  const folded = need.needs.size > style.most || oneEach;
  const who = folded ? `${stage} ${style.symbols.times}${need.needs.size}` : [...need.needs].join(', ');
  const notes = [
    ...(oneEach ? ['one each'] : []),
    ...(need.via.size === 0 ? [] : [`${need.stated ? 'also' : 'inferred'} through ${listed([...need.via])}`]),
  ];
  return notes.length === 0 ? who : `${who} (${notes.join(', ')})`;
}
