import type { AgentTrouble } from '../../model/agents/agent.js';
import type { SpentCeiling } from '../../model/money/spend.js';

/** How a question to an agent ended. */
export type Asked<Reply> =
  | { readonly kind: 'replied'; readonly reply: Reply; readonly files: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly detail: string;
      readonly why: Exclude<AgentTrouble, 'cancelled'> | 'unusable';
      readonly resetAt?: number;
    }
  | { readonly kind: 'cancelled' }
  | ({ readonly kind: 'violated' } & Violated)
  | { readonly kind: 'over-budget'; readonly spent: SpentCeiling };

export interface Violated {
  readonly files: readonly string[];
  /** Those of them that no scope could allow. */
  readonly held: readonly string[];
  /** Those that are protected. */
  readonly guarded?: readonly string[];
  readonly beside: readonly string[];
  /** What could not be put back, and what is kept of it; absent when nothing was put back. */
  readonly problems?: readonly string[];
  readonly evidence?: string;
}
