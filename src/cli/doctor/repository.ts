import type { GitLook } from '../../adapters/git/git-look.js';
import type { Finding } from '../../model/finding.js';
import type { Config } from '../../model/generated/config.js';
import { inWorktrees } from './machine.js';

export function repositoryFindings(look: GitLook, root: string, config: Config | undefined): readonly Finding[] {
  const { version, kind, branch, hasCommit, isShallow, unset, isStateIgnored, stashes, detail } = look;
  if (version === undefined) return [];
  const neededBy = inWorktrees(config);
  const isUsable = kind === 'fine' && hasCommit;
  const facts = { check: 'repository' as const, kind, root, neededBy };
  return [
    {
      ...facts,
      standing:
        isUsable && !isShallow ? 'fine' : (neededBy.length > 0 && !isUsable) || kind === 'broken' ? 'wrong' : 'odd',
      hasCommit,
      isShallow,
      ...(branch === undefined ? {} : { branch }),
      ...(detail === undefined ? {} : { detail }),
    },
    ...(kind === 'none' || kind === 'broken'
      ? []
      : [
          {
            check: 'identity' as const,
            standing: unset.length === 0 ? ('fine' as const) : ('odd' as const),
            missing: unset,
          },
        ]),
    ...(kind === 'fine' && !isStateIgnored
      ? [{ check: 'ignored' as const, standing: 'odd' as const, isIgnored: false }]
      : []),
    ...(stashes === 0 ? [] : [{ check: 'stashes' as const, standing: 'odd' as const, count: stashes }]),
  ];
}
