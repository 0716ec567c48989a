import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailureError } from '../../model/failure.js';
import type { Plan } from '../../model/plan.js';
import { diskError } from '../disk/disk-error.js';
import { makeFolders } from '../disk/make-folders.js';
import { readStart } from '../disk/read-start.js';
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
  /** That one, and those that it took the place of while the run was under way. */
  readPlans(id: string): readonly Plan[];
  /** The study of a run, without reading all of its journal; undefined when its first line does not say. */
  nameOf(id: string): string | undefined;
  create(plan: Plan): string;
  /** `keep`: what stood there before is kept beside it, to say later what changed. */
  savePlan(id: string, plan: Plan, keep?: 'keep'): void;
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
        if (!reading.state) return begunWithout(journalFile(id), runDir(id));
        if (reading.state.run !== id) throw misplaced(journalFile(id), reading.state.run);
        return reading;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return begunWithout(journalFile(id), runDir(id));
        if (code === 'EISDIR') throw misplaced(journalFile(id), 'a folder');
        throw error;
      }
    },
    readPlan: (id) => planIn(join(runDir(id), 'plan.json')),
    readPlans: (id) =>
      ['plan.json', ...namesIn(runDir(id)).filter((name) => earlierPlan.test(name))].flatMap(
        (name) => planIn(join(runDir(id), name)) ?? [],
      ),
    nameOf: (id) => nameIn(journalFile(id)),
    create(plan) {
      const id = `${runNumber(ids()[0] ?? '0') + 1}-${suffix()}`;
      try {
        makeFolders(runDir(id));
      } catch (error) {
        throw diskError(error, runDir(id));
      }
      this.savePlan(id, plan);
      return id;
    },
    savePlan(id, plan, keep) {
      const file = join(runDir(id), 'plan.json');
      // Whoever wrote another digest into it must not choose where it goes.
      const before = keep ? /^[0-9a-f]{12}/.exec(String(planIn(file)?.digest))?.[0] : undefined;
      try {
        if (before) copyFileSync(file, join(runDir(id), `plan-${before}.json`));
        // Whole or not at all: a run that is killed here must not leave half a plan.
        writeFileSync(`${file}.new`, `${JSON.stringify(plan)}\n`);
        renameSync(`${file}.new`, file);
      } catch (error) {
        throw diskError(error, file);
      }
    },
  };
}

const earlierPlan = /^plan-[0-9a-f]{12}\.json$/;

/** Only used to say what changed; without it the words are less exact and the decision is the same. */
function planIn(file: string): Plan | undefined {
  try {
    const plan = JSON.parse(readFileSync(file, 'utf8')) as Plan | null;
    return plan?.version === 1 && Array.isArray(plan.tasks) && Array.isArray(plan.waves) ? plan : undefined;
  } catch {
    return undefined;
  }
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

/** The first record of a journal is written whole, and says whose it is. */
function nameIn(file: string): string | undefined {
  const start = readStart(file, firstRecordBytes);
  if (typeof start === 'string') return undefined;
  try {
    const { name } = JSON.parse(start.text.slice(0, start.text.indexOf('\n'))) as { name?: unknown };
    return typeof name === 'string' ? name : undefined;
  } catch {
    // Whoever reads the journal will say what is wrong with it.
    return undefined;
  }
}

const firstRecordBytes = 1_000_000;

const runNumber = (id: string): number => Number.parseInt(id, 10);

const suffix = (): string => Array.from(randomBytes(4), (byte) => (byte % 36).toString(36)).join('');

/** The first record is on the disk before the first task begins, so a run with tasks has a journal, unless it was taken away. */
function begunWithout(file: string, dir: string): undefined {
  if (!existsSync(join(dir, 'tasks'))) return undefined;
  const detail = 'the run has tasks but no journal: it was emptied or removed';
  throw new FailureError({ code: 'journal-corrupt', file, line: 1, detail });
}

const misplaced = (file: string, what: string): FailureError =>
  new FailureError({ code: 'journal-corrupt', file, line: 1, detail: `this is the journal of ${what}` });
