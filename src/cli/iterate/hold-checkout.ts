import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { GitProblem } from '../../adapters/git/git-problem.js';
import { openRepository } from '../../adapters/git/git-repository.js';
import { takeLock } from '../../adapters/lock/state-lock.js';
import { backgroundClock } from '../../adapters/system-clock.js';
import type { IterateRules } from '../../run/iterate/rules.js';
import type { LoopInput } from './loop-input.js';

/**
 * Two loops with `keep: best` in one checkout would keep and put back each other's work, whatever their agent ids are and
 * wherever in the repository they live. Answers with how to let go of it.
 */
export async function holdCheckout({ project, context, stop }: LoopInput, { keep }: IterateRules): Promise<() => void> {
  if (keep !== 'best') return () => {};
  const gitDir = await gitDirOf(realpathSync(project.resolved.root), context.env);
  if (gitDir === undefined) return () => {};
  const lock = takeLock(join(gitDir, 'autoresearch-loop'), {
    clock: backgroundClock,
    onLost: () => stop.kill('SIGTERM'),
  });
  lock.name(`of the loop ${project.plan.name} (agent id ${context.agentId})`);
  return () => lock.release();
}

/** Undefined where there is none: what is wrong is told when an iteration is to begin. */
async function gitDirOf(root: string, env: LoopInput['context']['env']): Promise<string | undefined> {
  try {
    return (await openRepository(root, { env })).gitDir;
  } catch (error) {
    if (error instanceof GitProblem) return undefined;
    throw error;
  }
}
