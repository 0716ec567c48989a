import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstPrev, readChain } from '../../journal/chain.js';
import { book } from '../../journal/ledger-book.js';
import type { LedgerCall, LedgerRecord, Runner } from '../../model/money/ledger-line.js';
import { diskError } from '../disk/disk-error.js';
import { openRunStore, stateDir } from '../journal/run-store.js';
import { isAlive, isNear } from '../process/known-process.js';
import { LedgerFile } from './ledger-file.js';
import { checkAgainstJournals, ledgerFromJournals } from './ledger-rebuild.js';

export interface LedgerReading {
  readonly agentId: string;
  readonly calls: ReadonlyMap<string, LedgerCall>;
}

/** Who cannot be asked counts as gone: what it booked without a cap then is of unknown cost, which stops, and not free. */
export const isLiveRunner = (by: Runner | undefined): boolean => by !== undefined && isNear(by) && isAlive(by);

/** The ledgers of a project, one for each agent id. Reads and writes nothing else. */
export class LedgerShelf {
  readonly #root: string;
  readonly #except: string | undefined;
  readonly #files = new Map<string, LedgerFile>();
  /** What the journals say of agent ids without a ledger. */
  readonly #told = new Map<string, LedgerReading>();

  constructor(root: string, except?: string) {
    this.#root = root;
    this.#except = except;
  }

  /** As they stand now, all but the one that the shelf was told to leave out. */
  others(): readonly LedgerReading[] {
    return this.#agentIds()
      .filter((id) => id !== this.#except)
      .map((id) => this.read(id));
  }

  read(agentId: string): LedgerReading {
    const known = this.#files.get(agentId) ?? new LedgerFile(join(stateDir(this.#root, agentId), 'ledger.jsonl'));
    if (known.refresh()) {
      if (!this.#files.has(agentId)) checkAgainstJournals(known.file, known.calls, openRunStore(this.#root, agentId));
      this.#files.set(agentId, known);
      return { agentId, calls: known.calls };
    }
    // Whoever spends something writes the ledger first, so a look at the journals holds until there is one.
    const told = this.#told.get(agentId) ?? { agentId, calls: this.#fromJournals(agentId) };
    this.#told.set(agentId, told);
    return told;
  }

  #fromJournals(agentId: string): ReadonlyMap<string, LedgerCall> {
    const text = ledgerFromJournals(openRunStore(this.#root, agentId));
    const reading = readChain<LedgerRecord>(Buffer.from(text), { seq: -1, hash: firstPrev });
    const calls = new Map<string, LedgerCall>();
    for (const line of reading.ok ? reading.entries : []) book(calls, line);
    return calls;
  }

  #agentIds(): readonly string[] {
    const folder = join(this.#root, '.autoresearch');
    try {
      return readdirSync(folder)
        .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw diskError(error, folder);
    }
  }
}
