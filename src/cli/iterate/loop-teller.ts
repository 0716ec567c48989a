import { exitCode } from '../../model/exit-code.js';
import type { Iterate } from '../../model/generated/config.js';
import type { IterationEntry } from '../../model/iteration-event.js';
import type { SeriesState } from '../../model/iteration-state.js';
import { resumedLine } from '../../report/iterations/edited-words.js';
import { baselineLine, decidedLine, loopText } from '../../report/iterations/loop-text.js';
import type { Stop } from '../../run/iterate/next-step.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { tableFile } from './iteration-now.js';

export interface LoopTeller {
  recorded(entry: IterationEntry): void;
  /** Says how it ended, and answers with the exit code. */
  finished(state: SeriesState, stop: Stop, written: { readonly page?: string }): number;
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
    finished(state, { because, detail }, { page }) {
      const code = exitOf(state, because, iterate);
      if (inWords || (code !== exitCode.passed && reporter !== 'json' && reporter !== 'silent')) {
        stdout.write(
          loopText({
            state,
            because,
            detail,
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

/** A loop with a goal that it did not reach has failed, and so has one that never measured anything. */
function exitOf({ best }: SeriesState, because: Stop['because'], { until, metric }: Iterate): number {
  if (because === 'budget') return exitCode.overBudget;
  if (because === 'until') return exitCode.passed;
  if (because === 'failures' || until !== undefined) return exitCode.failed;
  return metric && !best ? exitCode.failed : exitCode.passed;
}
