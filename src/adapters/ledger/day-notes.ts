import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dayOf } from '../../journal/ledger-book.js';
import { FailureError } from '../../model/failure.js';
import type { LedgerCall } from '../../model/money/ledger-line.js';
import { toNano, toUsd } from '../../model/money/money.js';
import { writeDurable } from '../disk/durable-file.js';
import { readPlain } from '../disk/plain-file.js';

/** What an agent id has booked and paid on one day. None of these numbers ever becomes smaller: a booking that is settled stays one. */
export interface DaySpent {
  readonly calls: number;
  readonly settled: number;
  readonly nanoUsd: number;
}

type Calls = ReadonlyMap<string, LedgerCall>;

/**
 * What each agent id of a project has spent by the day, outside of the project: whoever removes the state of another agent id, ledger and journals
 * together, must not get back with it what that had spent of the day's ceiling.
 */
export class DayNotes {
  readonly #folder: string;

  /** Absolute; of this project alone. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** After the ledger is on the disk: a note is never ahead of it. */
  write(agentId: string, calls: Calls): void {
    const file = this.#fileOf(agentId);
    const days: Record<string, DaySpent> = { ...this.#read(file) };
    for (const [day, spent] of Object.entries(spentByDay(calls))) days[day] = most(days[day] ?? nothing, spent);
    const kept = Object.entries(days).sort().slice(-mostDays);
    writeDurable(file, `${JSON.stringify({ version: 1, days: Object.fromEntries(kept) })}\n`);
  }

  /** Throws when a ledger tells of less than was noted. `callsOf`: what the ledger of an agent id tells now. */
  check(now: number, callsOf: (agentId: string) => Calls): void {
    const day = dayOf(now);
    for (const agentId of this.#agentIds()) {
      const file = this.#fileOf(agentId);
      const noted = this.#read(file)[day];
      if (!noted) continue;
      const told = spentByDay(callsOf(agentId))[day] ?? nothing;
      const isLess = told.calls < noted.calls || told.settled < noted.settled || told.nanoUsd < noted.nanoUsd;
      if (isLess) throw forgotten(file, { agentId, day, noted, told });
    }
  }

  #agentIds(): readonly string[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
      .map((name) => name.slice(0, -ending.length))
      .sort();
  }

  #read(file: string): Readonly<Record<string, DaySpent>> {
    if (!existsSync(file)) return {};
    try {
      const { days } = JSON.parse(readPlain(file) ?? '') as { days: Record<string, DaySpent> };
      if (Object.values(days).every(isSpent)) return days;
    } catch {
      // Said below.
    }
    throw new FailureError({ code: 'journal-corrupt', file, line: 1, detail: 'it is not what was written there' });
  }

  #fileOf = (agentId: string): string => join(this.#folder, `${agentId}${ending}`);
}

/** The words for failures know these files by it. */
const ending = '.spent.json';

/** More than a clock is ever set back by accident. */
const mostDays = 10;

/** What was noted once is never given back. */
const most = (noted: DaySpent, told: DaySpent): DaySpent => ({
  calls: Math.max(noted.calls, told.calls),
  settled: Math.max(noted.settled, told.settled),
  nanoUsd: Math.max(noted.nanoUsd, told.nanoUsd),
});

const nothing: DaySpent = { calls: 0, settled: 0, nanoUsd: 0 };

/** Jobs cost no money. */
function spentByDay(calls: Calls): Record<string, DaySpent> {
  const days: Record<string, DaySpent> = {};
  for (const { role, bookedAt, settled } of calls.values()) {
    if (role === 'job') continue;
    const day = dayOf(bookedAt);
    const so = days[day] ?? nothing;
    days[day] = {
      calls: so.calls + 1,
      settled: so.settled + (settled ? 1 : 0),
      nanoUsd: so.nanoUsd + toNano(settled?.usd ?? 0),
    };
  }
  return days;
}

const isSpent = (spent: DaySpent | null): boolean =>
  [spent?.calls, spent?.settled, spent?.nanoUsd].every((number) => Number.isSafeInteger(number) && number! >= 0);

interface Forgotten {
  readonly agentId: string;
  readonly day: string;
  readonly noted: DaySpent;
  readonly told: DaySpent;
}

function forgotten(file: string, { agentId, day, noted, told }: Forgotten): FailureError {
  const words = ({ calls, nanoUsd }: DaySpent): string =>
    `${toUsd(nanoUsd)} USD in ${calls === 1 ? 'one call' : `${calls} calls`}`;
  const detail = `agent id ${agentId} has spent ${words(noted)} on ${day}, and its ledger tells of ${words(told)}: it, or the whole state of that agent id, was removed or replaced`;
  return new FailureError({ code: 'journal-corrupt', file, line: 1, detail });
}
