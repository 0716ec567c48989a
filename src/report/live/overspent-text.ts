import type { OverspentCall } from '../../model/state/run-state.js';
import { amountOf } from '../failures/ceiling-text.js';

/** `coder (author) cost 0.7 USD, and limits.usd is 0.1 USD; budget.usdPerRun is 0.5 USD, and 0.7 USD is spent: no further call starts under it`. */
export function overspentText({ role, agent, usd, capUsd, ceilings = [] }: Omit<OverspentCall, 'task'>): string {
  const cost = `${agent} (${role}) cost ${usd === undefined ? 'nobody knows what' : dollars(usd)}`;
  const cap = capUsd === undefined ? [] : [`limits.usd is ${dollars(capUsd)}`];
  const crossed = ceilings.map(({ ceiling, limit, spent }) => {
    const amount = amountOf(ceiling);
    return `${ceiling} is ${amount(limit)}, of which ${amount(spent)} is spent`;
  });
  const rest = crossed.length === 0 ? '' : ': no further call starts under it';
  return `${cost}, and ${[...cap, ...crossed].join('; ')}${rest}`;
}

const dollars = amountOf('limits.usd');
