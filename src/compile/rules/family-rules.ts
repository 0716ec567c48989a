import { isAgentName } from '../../model/errors/retry-limits.js';
import type { Agent, Config } from '../../model/generated/config.js';
import { globsMayMeet } from '../../model/glob.js';
import { pointerOf } from '../../model/pointer.js';
import { derivedFamily, familyOf } from '../expand/families.js';
import type { Problems } from '../problems.js';
import type { Draft } from '../task/draft.js';

/** Who judges or reviews must be of another model family than whoever makes or mends the work. */
export function checkFamilies(config: Config, drafts: readonly Draft[], problems: Problems): void {
  for (const [name, agent] of Object.entries(config.agents ?? {})) checkStated(name, agent, problems);
  const stages = new Map(drafts.map((draft) => [draft.task.stage, draft]));
  const stageOfTask = new Map(drafts.map(({ task }) => [task.id, task.stage]));
  for (const [name, { task, config: stage }] of stages) {
    const { gate } = stage;
    if (typeof gate === 'object' && gate.kind === 'auto-judge')
      compare({
        judge: gate.agent,
        authors: judgedAt(name, gate),
        at: ['stages', name, 'gate', 'agent'],
        word: 'judge',
      });
    const standIn = config.autonomous?.judge;
    if (standIn !== undefined && (gate === 'human' || (typeof gate === 'object' && gate.kind === 'human'))) {
      const authors = judgedAt(name, typeof gate === 'object' ? gate : {});
      compare({ judge: standIn, authors, at: ['autonomous', 'judge'], word: 'judge' });
    }
    const { asks } = task.description;
    if (asks?.role !== 'reviewer' || stage.agent === undefined) continue;
    // Who mends what it complains of is an author of what it looks at next.
    const authors = [
      ...(asks.reviews?.flatMap((other) => authorsOf(other)) ?? nearestAuthors(name)),
      ...authorsOf(name),
    ];
    compare({ judge: stage.agent, authors, at: ['stages', name, 'agent'], word: 'reviewer' });
  }

  /** Whoever made what a gate shows: in its own stage, in the one that it sends work back to, or in those before it. */
  function judgedAt(stage: string, { revise, evidence = [] }: JudgedGate): readonly string[] {
    const own = config.stages[stage]?.agent !== undefined && !isReview(stage);
    const makers = [...stages].filter(([, { writes }]) =>
      writes.some((path) => evidence.some((pattern) => globsMayMeet(pattern, path))),
    );
    return [
      ...authorsOf(stage),
      ...(own ? [] : nearestAuthors(stage)),
      ...(revise?.stage === undefined ? [] : authorsOf(revise.stage)),
      ...makers.flatMap(([name]) => authorsOf(name)),
    ];
  }

  /** Of the stages that this one needs; what a command only passes on is still the work of whoever made it. */
  function nearestAuthors(stage: string, seen = new Set<string>()): readonly string[] {
    const needed = new Set((stages.get(stage)?.task.needs ?? []).map((need) => stageOfTask.get(need)!));
    return [...needed].flatMap((other) => {
      if (seen.has(other)) return [];
      seen.add(other);
      const isAuthor = config.stages[other]?.agent !== undefined && !isReview(other);
      return isAuthor ? authorsOf(other) : [...authorsOf(other), ...nearestAuthors(other, seen)];
    });
  }

  function isReview(stage: string): boolean {
    return stages.get(stage)?.task.description.asks?.role === 'reviewer';
  }

  function authorsOf(stage: string): readonly string[] {
    const { agent, retry } = config.stages[stage] ?? {};
    const fix = retry?.fix;
    return [
      ...(agent === undefined || isReview(stage) ? [] : [agent]),
      ...(typeof fix === 'string' ? [fix] : []),
      ...(config.escalate ?? []).filter(isAgentName),
    ];
  }

  function compare({ judge, authors, at, word }: Comparison): void {
    const judged = config.agents?.[judge];
    if (!judged) return;
    for (const author of new Set(authors)) {
      const made = config.agents?.[author];
      if (!made) continue;
      const [mine, theirs] = [familyOf(judged), familyOf(made)];
      const unknown = [...(mine === undefined ? [judge] : []), ...(theirs === undefined ? [author] : [])];
      for (const name of unknown) problems.add(untold(name, { judge, author, word }));
      if (judge !== author && (unknown.length > 0 || mine !== theirs)) continue;
      if (judge === author && unknown.length > 0) continue;
      problems.add({
        code: 'AR320',
        message: `${word} "${judge}" and author "${author}" are both of the family ${mine}: the author would judge its own work`,
        at: { kind: 'config', pointer: pointerOf(...at) },
        hint: 'Name an agent of another model family',
      });
    }
  }
}

/** A family is stated where it cannot be told. One that contradicts what can be told would open the door that it guards. */
function checkStated(name: string, agent: Agent, problems: Problems): void {
  if (agent.family === undefined) return;
  const derived = derivedFamily(agent);
  if (derived === undefined || derived === familyOf(agent)) return;
  problems.add({
    code: 'AR321',
    message: `agent "${name}" is said to be of the family "${agent.family}", but its ${agent.model === undefined ? `backend says ${derived}` : `model "${agent.model}" says ${derived}`}`,
    at: { kind: 'config', pointer: pointerOf('agents', name, 'family') },
    hint: 'Take family out; it is for agents of which it cannot be told. Of a CLI that speaks to another maker, name the model',
  });
}

interface JudgedGate {
  readonly revise?: { readonly stage?: string };
  readonly evidence?: readonly string[];
}

interface Comparison {
  readonly judge: string;
  readonly authors: readonly string[];
  readonly at: readonly string[];
  readonly word: string;
}

const untold = (
  name: string,
  { judge, author, word }: { readonly judge: string; readonly author: string; readonly word: string },
): Parameters<Problems['add']>[0] => ({
  code: 'AR321',
  message: `nobody can tell of which model family "${name}" is, so nobody can tell whether ${word} "${judge}" is of another one than author "${author}"`,
  at: { kind: 'config', pointer: pointerOf('agents', name), key: true },
  hint: 'Add family: who made its model, such as "anthropic", "openai" or "google"',
});
