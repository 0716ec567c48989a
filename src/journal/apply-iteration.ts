import type { IterationEntry, IterationMeasured, IterationResumed } from '../model/events/iteration-event.js';
import type { IterationRow, OpenIteration, SeriesState } from '../model/state/iteration-state.js';

/** The one way from the record of iterations to the newest series in it. Throws where a line does not follow. */
export function applyIteration(state: SeriesState | undefined, entry: IterationEntry): SeriesState {
  if (entry.type === 'series-started') return begun(entry.series, entry.name);
  if (!state) throw new Error(`the record begins with ${entry.type}`);
  switch (entry.type) {
    case 'iteration-started': {
      if (state.open) throw new Error(`iteration ${entry.number} began before ${state.open.number} had ended`);
      const { finished: _, ...rest } = state;
      const { number, repeat, base, branch, folders, repositories } = entry;
      const startedAt = Date.parse(entry.at);
      const begins = { record: entry.hash, number, repeat, startedAt };
      const at = { ...(base === undefined ? {} : { base }), ...(branch === undefined ? {} : { branch }) };
      const unkept = { ...(folders ? { folders } : {}), ...(repositories ? { repositories } : {}) };
      const open: OpenIteration = { ...begins, ...at, ...unkept };
      return { ...rest, open };
    }
    case 'iteration-stopped':
      return { ...state, open: { ...openOf(state, entry.number, entry.type), stopped: entry.files } };
    case 'iteration-resumed':
      return { ...state, open: resumed(openOf(state, entry.number, entry.type), entry) };
    case 'iteration-measured':
      return measured(state, entry);
    case 'iteration-decided': {
      const open = openOf(state, entry.number, entry.type);
      return { ...state, open: { ...open, decided: withoutLink(entry) } };
    }
    case 'iteration-closed': {
      const next = closed(state, openOf(state, entry.number, entry.type));
      return entry.left ? { ...next, left: entry.left } : next;
    }
    case 'iterations-finished': {
      const { because, detail, outcome, missed } = entry;
      // Whoever goes on after that has mended something.
      const again = because === 'failures' ? { failuresInRow: 0 } : {};
      const end = { ...(outcome ? { outcome } : {}), ...(missed === undefined ? {} : { missed }) };
      return { ...state, ...again, finished: { because, detail, ...end } };
    }
  }
}

const begun = (series: number, name: string): SeriesState => ({
  series,
  name,
  rows: [],
  baseline: [],
  noise: 0,
  failuresInRow: 0,
  withoutProgress: 0,
  usd: 0,
  unpricedCalls: 0,
  workedMs: 0,
});

function openOf({ open }: SeriesState, number: number, what: string): OpenIteration {
  if (open?.number !== number) throw new Error(`${what} of iteration ${number}, which is not open`);
  return open;
}

function resumed({ stopped: _, ...open }: OpenIteration, { files, by }: IterationResumed): OpenIteration {
  return files.length === 0 ? open : { ...open, edited: [...(open.edited ?? []), { files, by }] };
}

function measured(state: SeriesState, entry: IterationEntry & IterationMeasured): SeriesState {
  const open = openOf(state, entry.number, entry.type);
  if (open.measured) throw new Error(`iteration ${entry.number} was measured twice`);
  const spent = {
    usd: state.usd + entry.usd,
    unpricedCalls: state.unpricedCalls + entry.unpricedCalls,
    workedMs: state.workedMs + entry.workedMs,
  };
  // What failed is compared with nothing, so it binds nobody.
  const measure = state.measure ?? (entry.value === undefined ? undefined : entry.measure);
  const known = { ...state, ...spent, ...(measure ? { measure } : {}) };
  if (entry.number > 0) return { ...known, open: { ...open, measured: withoutLink(entry) } };
  const { open: _, ...rest } = known;
  // A baseline that failed is measured again when somebody goes on; a repeat is no iteration of its own.
  if (entry.value === undefined) return rest;
  return { ...rest, baseline: [...state.baseline, entry.value], open: { ...open, measured: withoutLink(entry) } };
}

function closed(state: SeriesState, { number, measured: how, decided }: OpenIteration): SeriesState {
  if (!how) throw new Error(`iteration ${number} was closed before it was measured`);
  const row = decidedRow(state);
  const { open: _, ...rest } = state;
  // One of several measurements of the baseline.
  if (!decided || !row) return rest;
  const best = bestAfter(state);
  return {
    ...rest,
    ...(best ? { best } : {}),
    ...(decided.noise === undefined ? {} : { noise: decided.noise }),
    rows: [...rest.rows, row],
    failuresInRow: decided.verdict === 'failed' ? rest.failuresInRow + 1 : 0,
    withoutProgress: decided.progress || number === 0 ? 0 : rest.withoutProgress + 1,
  };
}

function bestAfter({ open, best }: SeriesState): SeriesState['best'] {
  const { number, decided } = open ?? {};
  return decided?.progress && decided.value !== undefined ? { number: number!, value: decided.value } : best;
}

/** The open iteration as a row, once it has been decided: it can be told of before anything is put back. */
export function decidedRow(state: SeriesState): IterationRow | undefined {
  const { measured: how, decided } = state.open ?? {};
  if (!how || !decided) return undefined;
  const { number, run, metrics, tried, log, usd, unpricedCalls, workedMs, rejected, cleared, warnings, edited } = how;
  const { verdict, progress, why, changes, made } = decided;
  const value = number === 0 ? decided.value : how.value;
  const best = bestAfter(state)?.value;
  return {
    number,
    run,
    verdict,
    progress,
    why,
    ...(value === undefined ? {} : { value }),
    ...(metrics ? { metrics } : {}),
    ...(tried === undefined ? {} : { tried }),
    ...(log === undefined ? {} : { log }),
    usd,
    unpricedCalls,
    workedMs,
    ...(best === undefined ? {} : { best }),
    ...(rejected ? { rejected } : {}),
    ...(changes ? { changes } : {}),
    ...(made ? { made } : {}),
    ...(cleared ? { cleared } : {}),
    ...(warnings ? { warnings } : {}),
    ...(edited ? { edited } : {}),
  };
}

function withoutLink<E extends IterationEntry>(entry: E): Omit<E, 'seq' | 'at' | 'prev' | 'hash'> {
  const { seq: _seq, at: _at, prev: _prev, hash: _hash, ...event } = entry;
  return event;
}
