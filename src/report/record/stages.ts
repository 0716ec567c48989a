import type { JournalEntry } from '../../model/events/event.js';
import type { Task } from '../../model/plan.js';
import { type Standing, standingOf, standingWords, worstStanding } from '../history/run-counts.js';
import type { RunFacts } from '../history/run-facts.js';
import { grouped } from '../words/grouped.js';

/** A plan file or, where there is none, a stage: what it was, how far it came, which commits it left. */
export interface PlanLine {
  readonly plan: string;
  /** The task file that it stands in; absent for a stage. */
  readonly file?: string;
  /** The first one that a task of it stands in, from 1. */
  readonly wave: number;
  readonly tasks: number;
  readonly passed: number;
  /** `passed`, or what keeps it from that. */
  readonly status: string;
  readonly commits: readonly string[];
}

export interface CommitLine {
  readonly task: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly files: readonly string[];
  readonly line: number;
}

/** Commits of the run, those of worktrees before they were merged left out, and merges that brought nothing. */
export const commitsOf = (entries: readonly JournalEntry[]): readonly CommitLine[] =>
  entries.flatMap((entry) =>
    (entry.type === 'worktree-merged' || entry.type === 'outputs-committed') && entry.files.length > 0
      ? [
          {
            task: entry.task,
            commit: entry.commit,
            branch: entry.type === 'worktree-merged' ? entry.branch : null,
            files: entry.files,
            line: entry.seq + 1,
          },
        ]
      : [],
  );

export function plansOf(facts: RunFacts): readonly PlanLine[] {
  const { plan, state, entries } = facts;
  if (!plan) return [];
  const waveOf = new Map(plan.waves.flatMap((wave, index) => wave.map((id) => [id, index + 1] as const)));
  const commits = grouped(commitsOf(entries), ({ task }) => task);
  return [...grouped(plan.tasks, planName)].map(([name, tasks]) => {
    const standings = tasks.map(({ id }) => standingOf(state.tasks.get(id), state));
    const passed = standings.filter((standing) => standing === 'passed' || standing === 'cached').length;
    return {
      plan: name,
      ...fileOf(tasks[0]!),
      wave: Math.min(...tasks.map(({ id }) => waveOf.get(id) ?? 1)),
      tasks: tasks.length,
      passed,
      status: worst(standings),
      commits: tasks.flatMap(({ id }) => (commits.get(id) ?? []).map(({ commit }) => commit)),
    };
  });
}

const fileOf = ({ part }: Task): { readonly file?: string } => (part?.kind === 'item' ? { file: part.item.file } : {});

const planName = ({ stage, part }: Task): string =>
  part?.kind === 'item' ? `${part.item.file}: ${part.item.id}` : stage;

const worst = (standings: readonly Standing[]): string => standingWords[worstStanding(standings)];
