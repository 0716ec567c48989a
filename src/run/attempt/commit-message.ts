import type { Json } from '../../model/json.js';
import type { Task } from '../../model/plan.js';
import type { RunIteration } from '../../model/state/iteration-state.js';
import type { AttemptPorts } from './attempt-ports.js';

export interface CommitFacts {
  readonly run: string;
  /** Of the study. */
  readonly name: string;
  readonly agentId?: string | undefined;
  readonly attempt: number;
  readonly branch: string;
  readonly summary?: string;
  readonly vars: { readonly [name: string]: Json };
  readonly iteration?: RunIteration | undefined;
}

/** The message of a task's commit: from the stage's own template, or the task's name with what was done. */
export async function commitMessage(
  task: Task,
  facts: CommitFacts,
  ports: Pick<AttemptPorts, 'render'>,
): Promise<string> {
  const { run, name, agentId = 'default', attempt, branch, summary = '', vars } = facts;
  if (task.commit === undefined) {
    const [line = ''] = summary.trim().split('\n');
    const first = `${task.id}: ${line === '' ? 'done' : line}`;
    return `${first.slice(0, longestLine)}\n\nautoresearch run ${run}, attempt ${attempt}${task.agent ? `, agent ${task.agent.name}` : ''}`;
  }
  return ports.render(task.commit, {
    // Of a task file: what the task is called there.
    task: { id: task.id, item: task.part?.kind === 'item' ? task.part.item.id : '' },
    stage: { name: task.stage },
    matrix: { ...task.matrix },
    vars: { ...vars },
    name,
    agentId,
    run,
    attempt,
    branch,
    agent: task.agent?.name ?? '',
    summary: summary.trim(),
    // Branches have a number too: without a loop it is the first one.
    iteration: { number: facts.iteration?.number ?? 1, max: facts.iteration?.of ?? 1 },
  });
}

const longestLine = 200;
