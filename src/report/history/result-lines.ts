import type { StandingFacts } from '../../model/files/standing-note.js';
import type { Plan } from '../../model/plan.js';
import type { RunState, TaskState } from '../../model/state/run-state.js';
import type { Paint } from '../words/paint.js';
import { shownPath } from '../words/phrase.js';

type Results = Pick<StandingFacts, 'results' | 'more'>;

/** What the tasks at the end of the plan produced, because that is what the study was run for. */
export function resultsOf({ plan, state }: { readonly plan: Plan; readonly state: RunState }): Results {
  const needed = new Set(plan.tasks.flatMap(({ needs }) => needs));
  const all = plan.tasks
    .filter(({ id }) => !needed.has(id) && hasResult(state.tasks.get(id)))
    .flatMap(({ id, outputs }) => {
      const written = state.tasks.get(id)?.outputs?.map(({ path }) => path) ?? [];
      return written.length > 0 ? written : outputs;
    });
  const results = all.slice(0, mostResults);
  return { results, more: all.length - results.length };
}

const mostResults = 8;

const hasResult = (task: TaskState | undefined): boolean => task?.status === 'passed' || task?.status === 'cached';

/** `runDir` is absolute. */
export function resultLines(
  { results, more }: Results,
  { runDir, cwd }: { readonly runDir: string; readonly cwd: string },
  { p }: { readonly p: Paint },
): string[] {
  const lines = [...results, ...(more > 0 ? [`and ${more} more`] : [])];
  return [
    ...lines.map((line, index) => `  ${p.dim(index === 0 ? 'results' : '       ')}  ${line}`),
    `  ${p.dim('run    ')}  ${shownPath(runDir, cwd)}`,
  ];
}
