import type { Booking, SettledCost } from './spend.js';

/** The lines of `ledger.jsonl`. Fields are only ever added. */
export type LedgerRecord = ReservedRecord | SettledRecord;

export interface ReservedRecord extends Booking {
  readonly type: 'reserved';
  /** Version of the ledger's format. */
  readonly ledger: 1;
  /** The process that makes the call; when it is gone, nobody will ever settle the booking. Absent when that is not known. */
  readonly by?: Runner;
}

export interface Runner {
  readonly host: string;
  readonly space: string;
  readonly pid: number;
  readonly started: string;
}

export interface SettledRecord extends SettledCost {
  readonly type: 'settled';
  readonly ledger: 1;
  readonly call: string;
  /** Present when the agent did not say how many; `tokens` is 0 then. */
  readonly tokensUnknown?: true;
}

/** A call as the ledger tells it. */
export interface LedgerCall extends Booking {
  /** Milliseconds since 1970. The day that it counts on is the day it was booked. */
  readonly bookedAt: number;
  readonly by?: Runner;
  /** Absent when the call goes on, or when its runner died. */
  readonly settled?: Omit<SettledRecord, 'type' | 'ledger' | 'call'>;
}
