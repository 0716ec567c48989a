import type { JournalEntry } from '../../model/events/event.js';
import type { OutputRecord } from '../../model/fingerprint.js';
import type { Json } from '../../model/json.js';
import type { TaskState } from '../../model/state/run-state.js';
import { failureWords } from '../failures/failure-text.js';
import { outcomeWords } from '../history/outcome-text.js';
import { runCounts } from '../history/run-counts.js';
import { runOutcome } from '../record/run-outcome.js';
import { grouped } from '../words/grouped.js';
import { plural } from '../words/phrase.js';
import { type CrateContent, type Entity, idOf, ref, timeOf, workflowFile } from './entity.js';

interface Ended {
  readonly failed: boolean;
  readonly error?: string;
}

export const statusOf = ({ failed, error }: Ended): { readonly [name: string]: string } => ({
  actionStatus: `http://schema.org/${failed ? 'FailedActionStatus' : 'CompletedActionStatus'}`,
  ...(failed && error !== undefined ? { error } : {}),
});

/** The run, each step of it and each attempt: what was used, what came of it, whether it failed and why. */
export function actionsOf({ facts, plan, files, missing }: CrateContent): { readonly all: readonly Entity[] } {
  const { state, entries } = facts;
  const here = new Set(files.map(({ path }) => path));
  const gone = new Set(missing.map(({ path }) => path));
  const refs = (paths: readonly string[]) =>
    [...new Set(paths)].flatMap((path) =>
      here.has(path) ? [ref(idOf(path))] : gone.has(path) ? [ref(`#missing/${idOf(path)}`)] : [],
    );
  const attempts = attemptsOf(entries);
  const steps = plan.tasks.flatMap(({ id, uses, description }) => {
    const task = state.tasks.get(id);
    const tries = attempts.get(id) ?? [];
    const executions = tries.map(({ attempt, startedAt, end }): Entity => {
      const ended: Ended =
        end?.type === 'task-failed'
          ? { failed: true, error: failureWords(end.failure).what }
          : { failed: end === undefined };
      return {
        '@id': `#attempt/${encodeURIComponent(id)}/${attempt}`,
        '@type': 'CreateAction',
        name: `${id}, attempt ${attempt}`,
        description: [description.summary, ...(description.commands ?? [])].join('\n'),
        instrument: ref(`#tool/${encodeURIComponent(uses)}`),
        startTime: timeOf(Date.parse(startedAt)),
        ...(end ? { endTime: timeOf(Date.parse(end.at)) } : {}),
        object: refs(inputsOf(task)),
        result: end?.type === 'task-finished' ? refs(end.outputs.map(({ path }) => path)) : [],
        ...statusOf(ended),
      };
    });
    if (executions.length === 0) return task?.status === 'cached' ? [earlier(id, { uses, task, refs })] : [];
    const control: Entity = {
      '@id': `#control/${encodeURIComponent(id)}`,
      '@type': 'ControlAction',
      name: `the step ${id}`,
      instrument: ref(`#step/${encodeURIComponent(id)}`),
      object: executions.map(({ '@id': action }) => ref(action)),
      ...statusOf({ failed: task?.status !== 'passed' }),
    };
    return [control, ...executions];
  });
  const outputs = [...state.tasks.values()].flatMap((task) =>
    (task.outputs ?? []).map(({ path }: OutputRecord) => path),
  );
  const made = new Set(outputs);
  const inputs = [...state.tasks.values()].flatMap(inputsOf).filter((path) => !made.has(path));
  const { outcome, loop = [] } = runOutcome(facts);
  const error = loop.map(({ text }) => text).join('') || `the run ${outcomeWords(outcome, state.signal)}`;
  const status = statusOf({ failed: outcome !== 'passed', error });
  const whole: Entity = {
    '@id': `#run/${state.run}`,
    '@type': 'CreateAction',
    name: `run ${state.run} of ${state.name}`,
    instrument: ref(workflowFile),
    description: `${plural(plan.tasks.length, 'task')}, of which ${runCounts(state, plan).text || 'none was begun'}`,
    startTime: timeOf(state.startedAt),
    ...(state.finishedAt === undefined ? {} : { endTime: timeOf(state.finishedAt) }),
    object: refs(inputs),
    result: refs(outputs),
    ...status,
  };
  const organize: Entity & { readonly object: readonly Json[] } = {
    '@id': `#engine/${state.run}`,
    '@type': 'OrganizeAction',
    name: `autoresearch carries out run ${state.run}`,
    instrument: ref('#autoresearch'),
    startTime: whole.startTime as string,
    ...(whole.endTime === undefined ? {} : { endTime: whole.endTime }),
    object: steps.filter(({ '@type': type }) => type === 'ControlAction').map(({ '@id': id }) => ref(id)),
    result: ref(whole['@id']),
    ...status,
  };
  // Where no step was carried out, the engine has controlled nothing that it could point at.
  return { all: [whole, ...(organize.object.length > 0 ? [organize] : []), ...steps] };
}

interface Kept {
  readonly uses: string;
  readonly task: TaskState;
  refs(paths: readonly string[]): readonly Json[];
}

/** What made the files of a task whose result still holds. When that was, and how often it was tried, is told by that run. */
const earlier = (id: string, { uses, task, refs }: Kept): Entity => ({
  '@id': `#earlier/${encodeURIComponent(id)}`,
  '@type': 'CreateAction',
  name: `${id}, in an earlier run`,
  description: 'Its result still holds, so that it was not carried out again in this run.',
  instrument: ref(`#tool/${encodeURIComponent(uses)}`),
  object: refs(inputsOf(task)),
  result: refs((task.outputs ?? []).map(({ path }) => path)),
  ...statusOf({ failed: false }),
});

const inputsOf = (task: TaskState | undefined): readonly string[] =>
  task?.fingerprint?.v === 1 ? Object.keys(task.fingerprint.inputs) : [];

interface Tried {
  readonly attempt: number;
  readonly startedAt: string;
  /** Absent when the runner died, or it still goes on. */
  readonly end?: Extract<JournalEntry, { type: 'task-finished' | 'task-failed' }>;
}

function attemptsOf(entries: readonly JournalEntry[]): ReadonlyMap<string, readonly Tried[]> {
  const tried: (Tried & { readonly task: string })[] = [];
  const ends = grouped(
    entries.filter((entry) => entry.type === 'task-finished' || entry.type === 'task-failed'),
    ({ task, attempt }) => `${attempt} ${task}`,
  );
  for (const entry of entries) {
    if (entry.type !== 'task-started') continue;
    const end = ends.get(`${entry.attempt} ${entry.task}`)?.find(({ seq }) => seq > entry.seq);
    tried.push({ task: entry.task, attempt: entry.attempt, startedAt: entry.at, ...(end ? { end } : {}) });
  }
  return grouped(tried, ({ task }) => task);
}
