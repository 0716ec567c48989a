import type { LedgerCall } from '../model/money/ledger-line.js';
import type { CeilingName } from '../model/money/spend.js';
import type { AgentFigures } from './agent-figures.js';
import { dayOf, type IsLive, type Tally, tally } from './ledger-book.js';

/** What was spent on what, ready for words. */
export interface CostSheet {
  readonly total: Tally;
  readonly by: { readonly [D in CostDimension]: readonly CostRow[] };
}

export type CostDimension = 'stage' | 'role' | 'model' | 'day';

export interface CostRow {
  /** Absent for calls of which neither the config nor whoever answered names a model. */
  readonly name?: string;
  readonly tally: Tally;
}

/** A ceiling and how far it is used up; of time, in milliseconds. */
export interface CostCeiling {
  readonly ceiling: CeilingName;
  /** Present for a ceiling of a stage. */
  readonly stage?: string;
  readonly limit: number;
  readonly spent: number;
  /** Absent when calls of unknown cost leave nobody knows how much. */
  readonly left?: number;
}

/** All that `cost` shows. */
export interface CostReport {
  readonly agentId: string;
  /** Present when only this run was asked for. */
  readonly run?: string;
  readonly sheet: CostSheet;
  /** How each agent has done, from the journals that are still there. */
  readonly agents: readonly AgentFigures[];
  /** Runs whose journals cannot be trusted; they are not in the figures of the agents. */
  readonly untold: readonly string[];
  /** The UTC day that it is, over all agent ids. */
  readonly today: { readonly day: string; readonly agentIds: number; readonly tally: Tally };
  /** Absent when the config cannot be read. */
  readonly ceilings?: {
    /** The run whose ceilings are shown; absent before the first. */
    readonly run?: string;
    readonly list: readonly CostCeiling[];
  };
}

export function costSheet(calls: readonly LedgerCall[], isLive: IsLive): CostSheet {
  const rows = (nameOf: (call: LedgerCall) => string | undefined): readonly CostRow[] => {
    const groups = new Map<string | undefined, LedgerCall[]>();
    for (const call of calls) {
      const group = groups.get(nameOf(call));
      if (group) group.push(call);
      else groups.set(nameOf(call), [call]);
    }
    return [...groups].map(([name, group]) => ({
      ...(name === undefined ? {} : { name }),
      tally: tally(group, isLive),
    }));
  };
  const dearestFirst = (a: CostRow, b: CostRow): number => b.tally.nanoUsd - a.tally.nanoUsd;
  return {
    total: tally(calls, isLive),
    by: {
      stage: [...rows(({ stage }) => stage)].sort(dearestFirst),
      role: [...rows(({ role }) => role)].sort(dearestFirst),
      model: [...rows(({ model }) => model)].sort(dearestFirst),
      day: [...rows(({ bookedAt }) => dayOf(bookedAt))].sort((a, b) => (a.name! < b.name! ? -1 : 1)),
    },
  };
}
