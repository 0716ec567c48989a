/** What something cost. Money that nobody told us counts as the cap of the call (`source`), never as nothing. */
export interface Spend {
  readonly usd: number;
  readonly tokens: number;
  readonly calls: number;
  readonly wallMs: number;
  readonly gpuHours: number;
}

export const noSpend: Spend = { usd: 0, tokens: 0, calls: 0, wallMs: 0, gpuHours: 0 };

export const addSpend = (a: Spend, b: Spend): Spend => ({
  usd: a.usd + b.usd,
  tokens: a.tokens + b.tokens,
  calls: a.calls + b.calls,
  wallMs: a.wallMs + b.wallMs,
  gpuHours: a.gpuHours + b.gpuHours,
});

/** Whose money it is: the place in the study that a call is booked on. */
export interface SpendPlace {
  readonly run: string;
  readonly stage: string;
  readonly task: string;
  /** What the agent was asked for. */
  readonly role: SpendRole;
  /** The agent's name in the config. */
  readonly agent: string;
  readonly model?: string;
}

export type SpendRole = 'author' | 'fixer' | 'judge' | 'reviewer' | 'planner' | 'job';

/** `reported`: the agent said so. `priced`: from tokens and the config's prices. `cap`: unknown, so all that it might have cost. */
export type SpendSource = 'reported' | 'priced' | 'cap';

export type CeilingName =
  | 'limits.usd'
  | 'stage budget.usd'
  | 'stage budget.calls'
  | 'stage budget.tokens'
  | 'budget.usdPerRun'
  | 'budget.usdPerDay'
  | 'budget.callsPerRun'
  | 'budget.tokensPerRun'
  | 'budget.time'
  | 'iterate.budget.usd'
  | 'iterate.budget.time'
  | 'budget.gpuHours';

/** A ceiling that leaves no room. */
export interface SpentCeiling {
  readonly ceiling: CeilingName;
  readonly limit: number;
  /** Spent and reserved so far. */
  readonly spent: number;
  /** What the call that was not started might have cost. */
  readonly wanted: number;
  /** Present when money is limited and this many calls cost nobody knows what: then nobody knows what is left either. */
  readonly unpricedCalls?: number;
}

/** The durable account over runs, resumes and agent ids. */
export interface Ledger {
  /**
   * Books the most that a call may cost before it is made, so that no other runner can spend the same money. Answers with
   * the ceiling that leaves no room, and then nothing is booked. When it answers, the booking is on the disk.
   */
  reserve(booking: Booking): Promise<SpentCeiling | undefined>;
  /** Replaces the booking by what is known now. What is not known stays booked as the cap. */
  settle(call: string, known: KnownCost): Promise<SettledCost & { readonly over?: Overspent }>;
}

export interface Booking extends SpendPlace {
  readonly call: string;
  readonly capUsd?: number;
}

export interface KnownCost {
  /** What the agent says it cost. */
  readonly usd?: number;
  /** It said so in tokens, and `usd` follows from the prices of the config. */
  readonly isPriced?: true;
  readonly tokens?: { readonly input: number; readonly output: number };
  readonly wallMs: number;
  readonly gpuHours?: number;
}

export interface SettledCost {
  /** Absent when there was neither a report nor a price nor a cap. */
  readonly usd?: number;
  readonly source: SpendSource;
  readonly tokens: number;
  readonly wallMs: number;
  readonly gpuHours: number;
}

/** What the cost of a call went beyond. It has been spent, so the call counts; the next one finds the ceiling full. */
export interface Overspent {
  /** `limits.usd` of its agent. */
  readonly capUsd?: number;
  /** Ceilings that held before the call was settled, and do not any more. */
  readonly ceilings?: readonly CrossedCeiling[];
}

export type CrossedCeiling = Pick<SpentCeiling, 'ceiling' | 'limit' | 'spent'>;
