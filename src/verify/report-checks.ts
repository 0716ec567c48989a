import type { Check } from '../model/gates/check.js';
import { failed, passed } from './check.js';
import type { RunEvidence } from './evidence.js';

/**
 * Every number in what is written about a run comes from its journal and its results: both are made into the same files once
 * more. A run that can go on writes them anew at its end.
 */
export async function reportChecks({ plan, state, reports }: RunEvidence): Promise<readonly Check[]> {
  // Without its plan nothing of the kind can be made.
  if (!plan || state.outcome === 'running' || state.outcome === 'waiting') return [];
  return (await reports()).map(({ file, differs, apart }) => {
    if (differs !== undefined) return failed('report', file, `${differs}; autoresearch report makes it anew`);
    if (apart === undefined) return passed('report', file, 'what journal and results make of it');
    // Of an older iteration; the data is still held against what the journal says.
    const seen = file.endsWith('.json') ? 'what the journal makes of it; not compared' : 'not compared';
    return passed('report', file, `${seen} with ${apart}`);
  });
}
