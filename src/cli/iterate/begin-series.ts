import { type IterationReading, readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import { FailureError } from '../../model/failure.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import { select } from '../../run/select.js';
import { checkedHistory } from '../history/checked-history.js';
import { refuse } from '../refuse.js';
import { iterationAt } from './iteration-now.js';
import { isAgainIn } from './iteration-wish.js';
import type { LoopInput } from './loop-input.js';
import type { LoopKeeper } from './loop-keeper.js';

export interface BeginTools extends LoopInput {
  readonly rules: IterateRules;
  readonly keeper: LoopKeeper;
  /** The state folder. */
  readonly dir: string;
}

/**
 * The exit code of whoever refuses the first iteration of a series that would begin now; undefined where nobody does, or where
 * none begins. Before anything is written down: a refusal changes nothing, and `exec` goes on with the series that there is.
 */
export async function refusedSeries({ context, project, rules, keeper, dir }: BeginTools): Promise<number | undefined> {
  const { plan, resolved } = project;
  const known = context.flag('new') ? undefined : nameIn(recordFile(dir));
  if (known === plan.name || known === unknown) return undefined;
  const base = await keeper.base({}, true);
  if (base && 'problems' in base) return refuse(base.problems, context);
  const place = {
    root: resolved.root,
    agentId: context.agentId,
    name: plan.name,
    iterate: resolved.config.iterate!,
  };
  const first = { series: (project.iteration?.series ?? 0) + 1, number: rules.repeats > 0 ? 0 : 1, repeat: 1 };
  const next = await project.at(iterationAt(undefined, first, place));
  if (!next.ok) return refuse(next.error, context);
  const selected = select(next.value.plan, { only: [], from: [], force: [] });
  const iteration = { owns: () => false, isAgain: isAgainIn(next.value.plan), why: '' };
  const history = await checkedHistory(context, next.value, { selected, afresh: false, iteration });
  return typeof history === 'number' ? history : undefined;
}

const unknown = Symbol('a record that does not hold together');

/** Whoever opens it says what is wrong with it. */
function nameIn(file: string): string | undefined | typeof unknown {
  let reading: IterationReading | undefined;
  try {
    reading = readIterations(file);
  } catch (error) {
    if (error instanceof FailureError) return unknown;
    throw error;
  }
  return reading?.state?.name;
}
