import { dirname } from 'node:path';
import { readIterations, recordFile } from '../../adapters/iteration/iteration-record.js';
import type { JournalReading } from '../../adapters/journal/file-journal.js';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { isLiveRunner, type LedgerReading, LedgerShelf } from '../../adapters/ledger/ledger-shelf.js';
import { agentFigures } from '../../journal/agent-figures.js';
import { type CostCeiling, type CostReport, costSheet } from '../../journal/cost-sheet.js';
import { dayOf, noTally, tally } from '../../journal/ledger-book.js';
import { reportedModels } from '../../journal/reported-models.js';
import { parseDuration } from '../../model/duration.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { Config } from '../../model/generated/config.js';
import type { LedgerCall } from '../../model/money/ledger-line.js';
import { toNano, toUsd } from '../../model/money/money.js';
import { type Accounts, type CeilingStanding, ceilingStandings, timeLeftMs } from '../../run/agents/ceilings.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import { resolveFor } from '../project/open-project.js';

export async function run(context: CliContext): Promise<number> {
  const report = await costReport(context);
  if (context.flag('json')) {
    const { costJson } = await import('../../report/history/cost-json.js');
    context.stdout.write(`${JSON.stringify(costJson(report), null, 2)}\n`);
  } else {
    const { costText } = await import('../../report/history/cost-text.js');
    context.stdout.write(costText(report, { color: context.stdout.color }));
  }
  return exitCode.passed;
}

async function costReport(context: CliContext): Promise<CostReport> {
  const store = await storeFor(context);
  const shelf = new LedgerShelf(dirname(dirname(store.dir)), context.agentId);
  const own = [...shelf.read(context.agentId).calls.values()];
  const wanted = wantedRun(context.value('run'), store, own);
  const shown = wanted === undefined ? own : own.filter((call) => call.run === wanted);
  const today = todayOf([{ agentId: context.agentId, calls: own }, ...shelf.others().map(listed)]);
  // A config with mistakes must not keep anyone from seeing what was spent.
  const resolved = await resolveFor(context);
  const { journals, untold } = journalsOf(store, wanted);
  const ofRun = wanted ?? store.ids()[0] ?? own.at(-1)?.run;
  const list = resolved.ok ? ceilingsOf(resolved.value.config, { calls: own, run: ofRun, today, store }) : [];
  return {
    agentId: context.agentId,
    ...(wanted === undefined ? {} : { run: wanted }),
    sheet: costSheet(withModels(shown, journals), isLiveRunner),
    agents: agentFigures(journals),
    untold,
    today,
    ...(resolved.ok ? { ceilings: { ...(ofRun === undefined ? {} : { run: ofRun }), list } } : {}),
  };
}

/** A journal that cannot be trusted tells nothing, and that is said; `status` says why. */
function journalsOf(store: RunStore, wanted: string | undefined): Journals {
  const journals: JournalReading['entries'][] = [];
  const untold: string[] = [];
  for (const id of wanted === undefined ? store.ids() : [wanted]) {
    try {
      journals.push(store.read(id)?.entries ?? []);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      untold.push(id);
    }
  }
  return { journals, untold };
}

interface Journals {
  readonly journals: readonly JournalReading['entries'][];
  readonly untold: readonly string[];
}

/** Where the config names no model, whoever answered may have said what it is. */
function withModels(calls: readonly LedgerCall[], journals: Journals['journals']): readonly LedgerCall[] {
  const told = reportedModels(journals.flat());
  return calls.map((call) => {
    const model = call.model ?? told.get(call.call);
    return model === undefined ? call : { ...call, model };
  });
}

/** A run that was cleaned away is still in the ledger. */
function wantedRun(text: string | undefined, store: RunStore, calls: readonly LedgerCall[]): string | undefined {
  if (text === undefined) return undefined;
  const ids = [...store.ids(), ...calls.map((call) => call.run)];
  const found = ids.find((id) => id === text || id.startsWith(`${text}-`));
  if (found === undefined) throw new FailureError({ code: 'run-not-found', run: text });
  return found;
}

interface LedgerOf {
  readonly agentId: string;
  readonly calls: readonly LedgerCall[];
}

const listed = ({ agentId, calls }: LedgerReading): LedgerOf => ({ agentId, calls: [...calls.values()] });

function todayOf(ledgers: readonly LedgerOf[]): CostReport['today'] {
  const day = dayOf(Date.now());
  const spending = ledgers
    .map(({ calls }) => calls.filter(({ bookedAt }) => dayOf(bookedAt) === day))
    .filter((calls) => calls.length > 0);
  return { day, agentIds: spending.length, tally: tally(spending.flat(), isLiveRunner) };
}

interface Spending {
  readonly calls: readonly LedgerCall[];
  readonly run: string | undefined;
  readonly today: CostReport['today'];
  readonly store: RunStore;
}

function ceilingsOf({ budget, stages, iterate }: Config, { calls, run, today, store }: Spending): CostCeiling[] {
  const ofRun = calls.filter((call) => call.run === run);
  const accounts: Accounts = { run: tally(ofRun, isLiveRunner), stage: noTally, day: today.tally };
  const ofStages = Object.entries(stages).flatMap(([stage, { budget: stageBudget }]) => {
    if (!stageBudget) return [];
    const account = tally(
      ofRun.filter((call) => call.stage === stage),
      isLiveRunner,
    );
    return ceilingStandings({ stageBudget }, { ...accounts, stage: account }).map((standing) => ({
      ...ceilingOf(standing),
      stage,
    }));
  });
  return [
    ...ceilingStandings({ budget }, accounts).map(ceilingOf),
    ...timeCeiling(budget, run, store),
    ...loopCeilings(iterate, { accounts, run, store }),
    ...ofStages,
  ];
}

function timeCeiling(budget: Config['budget'], run: string | undefined, store: RunStore): CostCeiling[] {
  const limit = parseDuration(budget?.time ?? '');
  if (limit === undefined) return [];
  const workedMs = run === undefined ? 0 : workedMsOf(store, run);
  const left = workedMs === undefined ? undefined : timeLeftMs(budget, workedMs);
  return [{ ceiling: 'budget.time', limit, spent: workedMs ?? 0, ...(left === undefined ? {} : { left }) }];
}

/** Of all iterations of the newest series, with the one that is not measured yet. A record that cannot be read leaves nobody knowing. */
function loopCeilings(
  iterate: Config['iterate'],
  { accounts, run, store }: { readonly accounts: Accounts; readonly run: string | undefined; readonly store: RunStore },
): CostCeiling[] {
  const { usd, time } = iterate?.budget ?? {};
  const limitMs = parseDuration(time ?? '');
  const loop = loopSpent(store, run);
  const money =
    usd === undefined
      ? []
      : ceilingStandings(
          { loop: { usd: { limit: usd, before: loop?.usd ?? 0 } } },
          { ...accounts, run: loop?.isOpen ? accounts.run : noTally },
        ).map(ceilingOf);
  const workedMs = (loop?.workedMs ?? 0) + (loop?.isOpen && run !== undefined ? (workedMsOf(store, run) ?? 0) : 0);
  const left = limitMs === undefined ? 0 : Math.max(0, limitMs - workedMs);
  const worked: CostCeiling[] =
    limitMs === undefined ? [] : [{ ceiling: 'iterate.budget.time', limit: limitMs, spent: workedMs, left }];
  return [...money, ...worked].map(({ left: rest, ...one }) =>
    loop && rest !== undefined ? { ...one, left: rest } : one,
  );
}

/** Undefined when the record cannot be read. `isOpen`: what the run has used is not among it yet. */
function loopSpent(
  store: RunStore,
  run: string | undefined,
): { readonly usd: number; readonly workedMs: number; readonly isOpen: boolean } | undefined {
  try {
    const { usd = 0, workedMs = 0, open } = readIterations(recordFile(store.dir))?.state ?? {};
    const own = run === undefined ? undefined : store.read(run)?.state?.iteration?.record;
    return { usd, workedMs, isOpen: open !== undefined && !open.measured && own === open.record };
  } catch (error) {
    if (error instanceof FailureError) return undefined;
    throw error;
  }
}

function ceilingOf({ ceiling, unit, limit, spent, unpricedCalls }: CeilingStanding): CostCeiling {
  const rest = unit === 'usd' ? toUsd(toNano(limit) - toNano(spent)) : limit - spent;
  return { ceiling, limit, spent, ...(unpricedCalls > 0 ? {} : { left: Math.max(0, rest) }) };
}

/** Undefined when the journal cannot be read; `status` says why. */
function workedMsOf(store: RunStore, run: string): number | undefined {
  try {
    return store.read(run)?.state?.workedMs;
  } catch {
    return undefined;
  }
}
