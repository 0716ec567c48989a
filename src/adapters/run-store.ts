import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FailureError } from '../model/failure.js';
import type { Plan } from '../model/plan.js';
import { diskError } from './disk-error.js';
import { type JournalReading, readJournal } from './file-journal.js';

/**
 * The folder `.autoresearch/<agent-id>/` and the runs in it. A run id is a number that grows and four random characters:
 * easy to type, in order even when the clock moves, and different between two checkouts that submit to one cluster.
 */
export interface RunStore {
  readonly dir: string;
  /** Newest first. */
  ids(): readonly string[];
  /** The one run whose id is `text` or begins with the number `text`. */
  find(text: string): string;
  runDir(id: string): string;
  journalFile(id: string): string;
  /** Undefined when the run was created but nothing was ever written to its journal. */
  read(id: string): JournalReading | undefined;
  readPlan(id: string): Plan | undefined;
  create(plan: Plan): string;
  savePlan(id: string, plan: Plan): void;
}

export const stateDir = (root: string, agentId: string): string => join(root, '.autoresearch', agentId);

export function openRunStore(root: string, agentId: string): RunStore {
  const dir = stateDir(root, agentId);
  const runs = join(dir, 'runs');
  const runDir = (id: string): string => join(runs, id);
  const journalFile = (id: string): string => join(runDir(id), 'journal.jsonl');

  const ids = (): readonly string[] =>
    namesIn(runs)
      .filter((name) => /^\d{1,9}-[a-z0-9]{4}$/.test(name))
      .sort((a, b) => runNumber(b) - runNumber(a));

  return {
    dir,
    ids,
    runDir,
    journalFile,
    find(text) {
      const found = ids().find((id) => id === text || id.startsWith(`${text}-`));
      if (found === undefined) throw new FailureError({ code: 'run-not-found', run: text });
      return found;
    },
    read(id) {
      try {
        const reading = readJournal(journalFile(id));
        if (!reading.state) return undefined;
        if (reading.state.run !== id) throw misplaced(journalFile(id), reading.state.run);
        return reading;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        if (code === 'EISDIR') throw misplaced(journalFile(id), 'a folder');
        throw error;
      }
    },
    readPlan(id) {
      try {
        return JSON.parse(readFileSync(join(runDir(id), 'plan.json'), 'utf8')) as Plan;
      } catch {
        // Only used to say what changed; without it the words are less exact and the decision is the same.
        return undefined;
      }
    },
    create(plan) {
      const id = `${runNumber(ids()[0] ?? '0') + 1}-${suffix()}`;
      try {
        mkdirSync(runDir(id), { recursive: true });
      } catch (error) {
        throw diskError(error, runDir(id));
      }
      this.savePlan(id, plan);
      return id;
    },
    savePlan(id, plan) {
      const file = join(runDir(id), 'plan.json');
      try {
        writeFileSync(file, `${JSON.stringify(plan)}\n`);
      } catch (error) {
        throw diskError(error, file);
      }
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // No folder yet: no runs yet. A folder that cannot be read may hold finished work, which must not be done again.
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw diskError(error, folder);
  }
}

const runNumber = (id: string): number => Number.parseInt(id, 10);

const suffix = (): string => Array.from(randomBytes(4), (byte) => (byte % 36).toString(36)).join('');

const misplaced = (file: string, what: string): FailureError =>
  new FailureError({ code: 'journal-corrupt', file, line: 1, detail: `this is the journal of ${what}` });
