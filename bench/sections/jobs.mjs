import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { matrixConfig } from '../lib/graphs.mjs';
import { measure } from '../lib/measure.mjs';
import { didAll, exec, project } from '../lib/ours.mjs';

/** A matrix of short jobs: what a detached process, or a place in a Slurm array, costs beside a plain command. */
export async function jobs({ rounds, quick }) {
  const count = quick ? 50 : 500;
  const title = `A matrix of ${count} short jobs`;
  const slurm = await startSlurm();
  const base = 'plain commands';
  const ours = (name, cluster, env) => {
    const config = matrixConfig(count);
    if (cluster) {
      config.clusters = { c: cluster };
      config.stages.t.on = 'c';
    }
    const made = project(`jobs/${name.replaceAll(/\W+/g, '-')}`, { 'autoresearch.config.json': config });
    return { name, base, env, ...made, run: made.run(...exec, '--jobs', '2'), check: didAll(made.cwd, count) };
  };
  try {
    const rows = measure(
      [
        ours(base),
        ours('local, 2 slots', { type: 'local', slots: 2 }),
        slurm.missing
          ? { name: 'one Slurm array', base, missing: slurm.missing }
          : ours('one Slurm array', { type: 'slurm', poll: '1s' }, { SLURM_CONF: slurm.cluster.conf }),
        ...(slurm.missing ? [] : [{ name: 'sbatch --array --wait', base, ...bareArray(count, slurm.cluster) }]),
      ],
      { rounds: Math.min(rounds, 3), title },
    );
    return { title, rows, targets: [] };
  } finally {
    await slurm.cluster?.down();
    if (slurm.folder) rmSync(slurm.folder, { recursive: true, force: true });
  }
}

/** The floor: the same array by hand. */
const bareArray = (count, { conf, dir }) => ({
  run: ['sbatch', '--wait', `--array=0-${count - 1}`, '--output=/dev/null', '--wrap=true'],
  cwd: dir,
  env: { SLURM_CONF: conf },
});

/** The cluster of the tests; it is TypeScript, so it is built first. */
async function startSlurm() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
  const outfile = join(folder, 'slurm.mjs');
  const entry = resolve(import.meta.dirname, '../../test/support/slurm.ts');
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  const { SlurmCluster, whyNoSlurm } = await import(pathToFileURL(outfile).href);
  const missing = whyNoSlurm();
  if (missing !== undefined) return { missing, folder };
  const cluster = new SlurmCluster();
  await cluster.up();
  return { cluster, folder };
}
