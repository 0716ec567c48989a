import { realpathSync } from 'node:fs';
import { openRepository, type Repository } from '../../adapters/git/git-repository.js';
import { IterationCheckout } from '../../adapters/iteration/iteration-checkout.js';
import { systemClock } from '../../adapters/system-clock.js';
import { loadGlobMatch } from '../../source/glob.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { scopesIn, writtenIn } from './own-files.js';

export interface CheckoutInput {
  readonly project: Project;
  readonly context: CliContext;
  /** For whoever only looks: a folder outside of the repository, so that nothing in there is touched. */
  readonly scratch?: string;
}

export function lazyCheckout({ project, context, scratch }: CheckoutInput): () => Promise<IterationCheckout> {
  let opened: Promise<IterationCheckout> | undefined;
  const { resolved, plan } = project;
  const open = async (): Promise<IterationCheckout> => {
    const root = realpathSync(resolved.root);
    const repo = await (scratch === undefined
      ? loopRepository(root, context)
      : openRepository(root, { env: context.env, scratch }));
    const { protect = [] } = resolved.config;
    return new IterationCheckout({
      repo,
      root,
      files: plan.iterate?.files ?? [],
      protect,
      written: [...writtenIn(plan), ...scopesIn(plan)],
      match: await loadGlobMatch(),
      clock: systemClock,
    });
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Opened once: finding out about a repository takes git a few processes, and every iteration needs it several times. */
export function loopRepository(root: string, context: CliContext): Promise<Repository> {
  const known = repositories.get(context) ?? new Map<string, Promise<Repository>>();
  repositories.set(context, known);
  const repo = known.get(root) ?? openRepository(root, { env: context.env });
  known.set(root, repo);
  return repo;
}

const repositories = new WeakMap<CliContext, Map<string, Promise<Repository>>>();
