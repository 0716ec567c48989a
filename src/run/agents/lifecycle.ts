import type { Agent } from '../../model/generated/config.js';
import type { SpendRole } from '../../model/money/spend.js';

/** How long an agent remembers. Who judges must not remember what it was told before. */
export const lifecycleOf = ({ lifecycle }: Agent, role: SpendRole): NonNullable<Agent['lifecycle']> =>
  lifecycle ?? (role === 'judge' || role === 'reviewer' ? 'stateless' : 'fresh');
