import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A file that takes a minute and comes last would have the machine to itself; the rest is as quick in any order. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = slow.findIndex((part) => moduleId.includes(part));
      return at < 0 ? slow.length : at;
    };
    return files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId));
  }
}

const slow = [
  'adapters/agents/opencode.',
  'adapters/worktree/worktree-crash.',
  'crash/worktree-kill.',
  'adapters/schedulers/slurm.',
  'cli/replan.',
  'crash/',
  'adapters/agents/',
  'cli/tasks.',
  'cli/iterate',
  'cli/worktree',
  'cli/slurm',
  'cli/jobs.',
  'pipelines/',
  'cli/',
];
