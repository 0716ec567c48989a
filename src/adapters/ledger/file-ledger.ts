import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dayOf, tally } from '../../journal/ledger-book.js';
import { FailureError } from '../../model/failure.js';
import type { Config } from '../../model/generated/config.js';
import type { LedgerCall, LedgerRecord } from '../../model/money/ledger-line.js';
import type { Booking, KnownCost, Ledger, Overspent, SettledCost, SpentCeiling } from '../../model/money/spend.js';
import type { Clock } from '../../model/ports.js';
import {
  type Accounts,
  type CeilingStanding,
  ceilingStandings,
  type LoopBudget,
  limitsMoney,
  overspent,
  spentCeiling,
} from '../../run/agents/ceilings.js';
import { settledCost } from '../../run/agents/settled-cost.js';
import { diskError } from '../disk/disk-error.js';
import { writeDurable } from '../disk/durable-file.js';
import { openRunStore, type RunStore } from '../journal/run-store.js';
import { takeMutex } from '../lock/file-mutex.js';
import { knownProcess } from '../process/known-process.js';
import { DayNotes } from './day-notes.js';
import { LedgerFile } from './ledger-file.js';
import { checkAgainstJournals, ledgerFromJournals } from './ledger-rebuild.js';
import { isLiveRunner, LedgerShelf } from './ledger-shelf.js';

export interface FileLedgerInput {
  /** The project folder. */
  readonly root: string;
  readonly agentId: string;
  readonly clock: Clock;
  readonly config: Pick<Config, 'budget' | 'prices' | 'stages'>;
  /** Of the loop that the run is an iteration of. */
  readonly loop?: LoopBudget | undefined;
  /** A folder outside of the project, where it is noted what was spent by the day; not noted unless stated. */
  readonly notes?: string;
}

/**
 * The ledger on disk: `.autoresearch/<agent-id>/ledger.jsonl`. Looking, deciding and booking happen under a mutex that all
 * runners of the project share, so no two of them get the last money. Nothing is touched before the first booking.
 */
export class FileLedger implements Ledger {
  readonly #input: FileLedgerInput;
  readonly #mutex: string;
  readonly #own: LedgerFile;
  readonly #shelf: LedgerShelf;
  readonly #notes: DayNotes | undefined;
  /** One at a time in this process, too. */
  #turn: Promise<unknown> = Promise.resolve();
  #broken: unknown;
  /** With what the journals tell; once is enough, because from then on every change is noticed. */
  #isCompared = false;

  constructor(input: FileLedgerInput) {
    this.#input = input;
    const store = openRunStore(input.root, input.agentId);
    this.#own = new LedgerFile(join(store.dir, 'ledger.jsonl'));
    this.#mutex = join(dirname(store.dir), 'ledger.lock');
    this.#shelf = new LedgerShelf(input.root, input.agentId);
    this.#notes = input.notes === undefined ? undefined : new DayNotes(input.notes);
  }

  async reserve(booking: Booking): Promise<SpentCeiling | undefined> {
    this.#checkBounded(booking);
    const spent = await this.#locked(() => {
      const now = this.#input.clock.now();
      const full = spentCeiling(this.#ceilings(booking.stage), this.#accounts(booking, now), booking.capUsd);
      if (full) return full;
      this.#own.append({ type: 'reserved', ledger: 1, ...bookingOnly(booking), by: knownProcess(process.pid) }, now);
      return undefined;
    });
    if (!spent) await this.#flushed();
    return spent;
  }

  async settle(call: string, known: KnownCost): Promise<SettledCost & { readonly over?: Overspent }> {
    const cost = await this.#locked(() => {
      const booked = this.#own.calls.get(call);
      if (!booked) throw new Error(`call ${call} was never booked`);
      const model = booked.model === undefined ? undefined : this.#input.config.prices?.[booked.model];
      const { tokensUnknown, ...settled } = settledCost(known, booked.capUsd, model);
      const record: LedgerRecord = { type: 'settled', ledger: 1, call, ...settled };
      const now = this.#input.clock.now();
      const before = this.#standings(booked, now);
      this.#own.append(tokensUnknown ? { ...record, tokensUnknown } : record, now);
      const over = overspent({ usd: settled.usd, capUsd: booked.capUsd }, before, this.#standings(booked, now));
      return { ...settled, ...(over ? { over } : {}) };
    });
    await this.#flushed();
    return cost;
  }

  /** Books and settles at once what has been used already; a second time it changes nothing. */
  async note(booking: Booking, used: Pick<SettledCost, 'wallMs' | 'gpuHours'>): Promise<void> {
    await this.#locked(() => {
      if (this.#own.calls.has(booking.call)) return;
      const now = this.#input.clock.now();
      this.#own.append({ type: 'reserved', ledger: 1, ...bookingOnly(booking) }, now);
      const cost = { usd: 0, source: 'reported', tokens: 0, ...used } as const;
      this.#own.append({ type: 'settled', ledger: 1, call: booking.call, ...cost }, now);
    });
    await this.#flushed();
  }

  async close(): Promise<void> {
    await this.#turn;
    this.#own.close();
  }

  /** The compiler refuses such an agent. Should one come through, its call must not start. */
  #checkBounded({ stage, capUsd, model, agent }: Booking): void {
    const isPriced = model !== undefined && this.#input.config.prices?.[model] !== undefined;
    if (capUsd === undefined && !isPriced && limitsMoney(this.#ceilings(stage)))
      throw new Error(`money is limited, and agent ${agent} has neither a price nor a cap`);
  }

  #ceilings(stage: string): Parameters<typeof spentCeiling>[0] {
    const { budget, stages } = this.#input.config;
    return { budget, stageBudget: stages[stage]?.budget, loop: this.#input.loop };
  }

  #standings(call: Pick<Booking, 'run' | 'stage'>, now: number): readonly CeilingStanding[] {
    return ceilingStandings(this.#ceilings(call.stage), this.#accounts(call, now));
  }

  #accounts({ run, stage }: Pick<Booking, 'run' | 'stage'>, now: number): Accounts {
    const ofRun = [...this.#own.calls.values()].filter((call) => call.run === run);
    const today = dayOf(now);
    // The other ledgers are read only when a ceiling looks at them.
    const all = this.#isLimitedByDay ? [this.#own, ...this.#shelf.others()] : [];
    if (this.#isLimitedByDay) this.#notes?.check(now, (id) => this.#callsOf(id));
    return {
      run: tally(ofRun, isLiveRunner),
      stage: tally(
        ofRun.filter((call) => call.stage === stage),
        isLiveRunner,
      ),
      day: tally(
        all.flatMap(({ calls }) => [...calls.values()].filter(({ bookedAt }) => dayOf(bookedAt) === today)),
        isLiveRunner,
      ),
    };
  }

  get #isLimitedByDay(): boolean {
    return this.#input.config.budget?.usdPerDay !== undefined;
  }

  #callsOf = (agentId: string): ReadonlyMap<string, LedgerCall> =>
    (agentId === this.#input.agentId ? this.#own : this.#shelf.read(agentId)).calls;

  /** Where nobody counts by the day, a note that cannot be written is missed by nobody. */
  #note(): void {
    try {
      this.#notes?.write(this.#input.agentId, this.#own.calls);
    } catch (error) {
      if (this.#isLimitedByDay || !(error instanceof FailureError)) throw error;
    }
  }

  #locked<T>(work: () => T): Promise<T> {
    const turn = this.#turn.then(async () => {
      if (this.#broken) throw this.#broken;
      this.#makeFolder();
      const release = await takeMutex(this.#mutex, this.#input.clock);
      try {
        this.#open();
        return work();
      } finally {
        release();
      }
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  #store(): RunStore {
    return openRunStore(this.#input.root, this.#input.agentId);
  }

  #makeFolder(): void {
    try {
      mkdirSync(dirname(this.#own.file), { recursive: true });
    } catch (error) {
      throw diskError(error, this.#own.file);
    }
  }

  #open(): void {
    if (this.#own.refresh()) {
      if (!this.#isCompared) checkAgainstJournals(this.#own.file, this.#own.calls, this.#store());
      this.#isCompared = true;
      return;
    }
    this.#isCompared = true;
    const text = ledgerFromJournals(this.#store());
    if (text === '') return;
    writeDurable(this.#own.file, text);
    this.#own.refresh();
  }

  /** After a failed flush nobody knows what the disk has: nothing more is started. */
  async #flushed(): Promise<void> {
    try {
      await this.#own.flushed();
      this.#note();
    } catch (error) {
      this.#broken ??= error;
      throw error;
    }
  }
}

/** Callers may hand in more than a booking; the file gets only what its format has. */
const bookingOnly = ({ call, run, stage, task, role, agent, model, capUsd }: Booking): Booking => ({
  call,
  run,
  stage,
  task,
  role,
  agent,
  ...(model === undefined ? {} : { model }),
  ...(capUsd === undefined ? {} : { capUsd }),
});
