import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * What programs of other people do, a Slurm or a coding CLI, does not depend on our Node. `QUICKER` leaves these tests out, so that
 * CI runs them once, on the oldest Node, and everything else on all of them (see also test/support/thinned.ts).
 */
const once = [
  'test/cli/completion.test.ts',
  'test/cli/slurm*.test.ts',
  'test/adapters/schedulers/slurm.test.ts',
  'test/adapters/agents/{codex,gemini,opencode}.test.ts',
];

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test'), __BUILD__: JSON.stringify('test') },
  resolve: { alias: { autoresearch: fileURLToPath(new URL('./src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(process.env.QUICKER ? once : [])],
    setupFiles: ['test/support/own-temp.ts'],
    // Nothing here is about being quick: a test that starts a dozen processes takes a second, or a minute where others are at work.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Unless told, one core is left idle; the tests mostly wait for other processes.
    maxWorkers: availableParallelism(),
  },
});
