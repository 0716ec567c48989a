import type { Booking, KnownCost, Ledger, SettledCost, SpentCeiling } from '../../src/model/money/spend.js';

/** One ceiling of money, kept in memory. */
export class FakeLedger implements Ledger {
  readonly calls: (Booking & { cost?: KnownCost })[] = [];

  constructor(readonly limitUsd = Number.POSITIVE_INFINITY) {}

  get spent(): number {
    return this.calls.reduce((sum, { cost, capUsd }) => sum + (cost?.usd ?? capUsd ?? 0), 0);
  }

  async reserve(booking: Booking): Promise<SpentCeiling | undefined> {
    const wanted = booking.capUsd ?? 0;
    if (this.spent + wanted > this.limitUsd)
      return { ceiling: 'budget.usdPerRun', limit: this.limitUsd, spent: this.spent, wanted };
    this.calls.push(booking);
    return undefined;
  }

  async settle(call: string, cost: KnownCost): Promise<SettledCost> {
    const booking = this.calls.find((known) => known.call === call)!;
    booking.cost = cost;
    const usd = cost.usd ?? booking.capUsd;
    return {
      ...(usd === undefined ? {} : { usd }),
      source: cost.usd === undefined ? 'cap' : 'reported',
      tokens: (cost.tokens?.input ?? 0) + (cost.tokens?.output ?? 0),
      wallMs: cost.wallMs,
      gpuHours: 0,
    };
  }
}
