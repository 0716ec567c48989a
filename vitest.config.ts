import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.js';

/**
 * What programs of other people do, a Slurm or a coding CLI, does not depend on our Node. `QUICKER` leaves these tests out, so that
 * CI runs them once, on the oldest Node, and everything else on all of them (see also test/support/thinned.ts).
 */
const once = [
  'test/cli/completion.test.ts',
  'test/cli/slurm*.test.ts',
  'test/cli/real-agents.test.ts',
  'test/adapters/schedulers/slurm.test.ts',
  'test/adapters/agents/{claude,claude-bounds,codex,gemini,opencode,tmux-agent}.test.ts',
  'test/adapters/sandbox/sandbox-clis.test.ts',
  'test/docs/recipes.test.ts',
];

/** Whole studies with much git in them: on the oldest Node all of them, on the others half of them each. */
const halves = [
  ['test/cli/iterate*.test.ts', 'test/pipelines/**', 'test/cli/clean*.test.ts', 'test/cli/worktree-{h,c}*.test.ts'],
  ['test/cli/{replan,tasks,ui}.test.ts', 'test/cli/worktree{s,-[!hc]*}.test.ts', 'test/{report/numbers,examples/**}*'],
];
const isNode22 = process.versions.node.startsWith('22.');
const leftOut = process.env.QUICKER ? [...once, ...halves[isNode22 ? 0 : 1]!] : [];

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test'), __BUILD__: JSON.stringify('test') },
  resolve: { alias: { autoresearch: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
    setupFiles: ['test/support/own-temp.ts'],
    reporters: ['default', ...(process.env.FAILED_FILES ? ['./test/support/failed-files.ts'] : [])],
    sequence: { sequencer: SlowFirst },
    // Nothing here is about being quick: a test that starts a dozen processes takes a second, or a minute where others are at work.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Unless told, one core is left idle; the tests mostly wait for other processes.
    maxWorkers: availableParallelism(),
  },
});
