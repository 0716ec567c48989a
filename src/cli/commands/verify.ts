import { dirname } from 'node:path';
import type { RunStore } from '../../adapters/journal/run-store.js';
import { exitCode } from '../../model/exit-code.js';
import { FailureError } from '../../model/failure.js';
import type { Verification } from '../../model/gates/check.js';
import type { RunState } from '../../model/state/run-state.js';
import { failureWords } from '../../report/failures/failure-text.js';
import type { LoopStanding, LoopUnknown } from '../../report/iterations/loop-standing.js';
import { tampered } from '../../verify/check.js';
import { verification, verifyRun } from '../../verify/verify-run.js';
import type { CliContext } from '../context.js';
import { storeFor } from '../history/open-run.js';
import { runEvidence } from '../verify/run-evidence.js';

export async function run(context: CliContext): Promise<number> {
  const store = await storeFor(context);
  const { found, loop } = await verifyNewest(context, store);
  const { stdout } = context;
  if (context.flag('json')) {
    const { verifyJson } = await import('../../report/history/verify-text.js');
    stdout.write(`${JSON.stringify(verifyJson(found, loop), null, 2)}\n`);
  } else {
    const { verifyText } = await import('../../report/history/verify-text.js');
    const style = { color: stdout.color, verbose: context.verbose, quiet: context.quiet };
    stdout.write(verifyText(found, { ...style, ...(loop ? { loop } : {}) }));
  }
  return outcomeExitCode[found.outcome];
}

const outcomeExitCode: Record<Verification['outcome'], number> = {
  passed: exitCode.passed,
  failed: exitCode.failed,
  violated: exitCode.integrity,
};

interface Verified {
  readonly found: Verification;
  /** How the loop stands that the run belongs to. */
  readonly loop?: LoopStanding | LoopUnknown;
}

async function loopOf(state: RunState, store: RunStore, context: CliContext): Promise<Verified['loop']> {
  if (!state.iteration) return undefined;
  const { loopNow } = await import('../iterate/loop-now.js');
  return loopNow({ root: dirname(dirname(store.dir)), dir: store.dir, context }, state);
}

/** The run that --run names, or the newest that has begun. One whose journal does not hold together is a finding. */
async function verifyNewest(context: CliContext, store: RunStore): Promise<Verified> {
  const wanted = context.value('run');
  for (const id of wanted === undefined ? store.ids() : [store.find(wanted)]) {
    try {
      const reading = store.read(id);
      if (!reading?.state) continue;
      const found = await verifyRun(await runEvidence(context, { id, store, reading }));
      const loop = await loopOf(reading.state, store, context);
      return { found, ...(loop ? { loop } : {}) };
    } catch (error) {
      if (!(error instanceof FailureError) || error.failure.code !== 'journal-corrupt') throw error;
      return { found: verification(id, [tampered('journal', '', journalWords(error.failure))]) };
    }
  }
  throw new FailureError({ code: 'run-not-found', run: wanted ?? '' });
}

const journalWords = (failure: FailureError['failure']): string =>
  failure.code === 'journal-corrupt' ? `line ${failure.line}: ${failure.detail}` : failureWords(failure).what;
