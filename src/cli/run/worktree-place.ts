import { join } from 'node:path';

/** Where worktrees of an agent id live. */
export const worktreePlace = (stateDir: string): string => join(stateDir, 'worktrees');
