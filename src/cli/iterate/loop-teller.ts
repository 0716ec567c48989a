import type { IterationEntry, LoopEnd, StopCause } from '../../model/events/iteration-event.js';
import { exitCode } from '../../model/exit-code.js';
import type { Iterate } from '../../model/generated/config.js';
import type { SeriesState } from '../../model/state/iteration-state.js';
import { resumedLine } from '../../report/iterations/edited-words.js';
import { endedWords } from '../../report/iterations/loop-outcome.js';
import { baselineLine, decidedLine, loopText } from '../../report/iterations/loop-text.js';
import { loopEnd } from '../../run/iterate/loop-end.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { tableFile } from './iteration-now.js';

export interface LoopTeller {
  recorded(entry: IterationEntry): void;
  /** Says how it ended, and answers with the exit code. */
  finished(state: SeriesState, because: StopCause, written: { readonly page?: string }): number;
}

/** Tells of a loop: a line for each iteration, its table in the end; one record a line for programs. */
export function loopTeller(context: CliContext, { iterate }: { readonly iterate: Iterate }): LoopTeller {
  const { stdout } = context;
  const reporter = context.flag('json') ? 'json' : context.value('reporter');
  const inWords = reporter !== 'json' && reporter !== 'silent' && !context.quiet;
  const say = (line: string): void => (inWords ? stdout.write(`${line}\n`) : undefined);
  return {
    recorded(entry) {
      if (reporter === 'json') stdout.write(`${JSON.stringify(entry)}\n`);
      if (entry.type === 'iteration-resumed' && entry.files.length > 0) say(resumedLine(entry));
      if (entry.type === 'iteration-decided') say(decidedLine(entry, iterate.max));
      const isOfBaseline = entry.type === 'iteration-measured' && entry.number === 0;
      if (isOfBaseline && (entry.failure !== undefined || (iterate.repeats ?? 1) > 1))
        say(baselineLine(entry, iterate.metric!.name));
    },
    finished(state, because, { page }) {
      const { outcome, missed } = loopEnd(state, because, iterate);
      const code = exitOf[outcome];
      if (inWords || (code !== exitCode.passed && reporter !== 'json' && reporter !== 'silent')) {
        stdout.write(
          loopText({
            state,
            because,
            ended: endedWords({ detail: state.finished!.detail, missed }),
            isPassed: code === exitCode.passed,
            metric: iterate.metric?.name,
            table: tableFile(iterate, state.series),
            color: stdout.color,
            width: stdout.isTty ? stdout.columns() : 200,
            again: again(context),
          }),
        );
        if (page !== undefined) stdout.write(`${page}\n`);
      }
      return code;
    },
  };
}

const exitOf = {
  passed: exitCode.passed,
  failed: exitCode.failed,
  'over-budget': exitCode.overBudget,
} as const satisfies Record<NonNullable<LoopEnd['outcome']>, number>;
