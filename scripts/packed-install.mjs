// Packs the project, installs the tarball into an empty folder and does there what a newcomer does first.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'autoresearch-packed-'));
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
try {
  run('npm', ['pack', '--silent', '--pack-destination', folder], process.cwd());
  const tarball = resolve(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
  const project = mkdtempSync(join(folder, 'empty-'));
  run('npm', ['install', '--prefix', '.', '--no-save', '--silent', '--no-audit', '--no-fund', tarball], project);
  run('npx', ['autoresearch', 'init'], project);
  const plan = run('npx', ['autoresearch', 'plan'], project);
  if (!plan.includes('npx autoresearch exec')) throw new Error(`plan does not say what comes next:\n${plan}`);
  run('npx', ['autoresearch', 'exec'], project);
  const status = JSON.parse(run('npx', ['autoresearch', 'status', '--json'], project));
  if (status.outcome !== 'passed') throw new Error(`the first run ended ${status.outcome}`);
  run(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      "import { defineConfig, defineStage } from 'autoresearch'; if (!defineConfig || !defineStage) process.exit(1)",
    ],
    project,
  );
  if (!existsSync(join(project, 'node_modules/autoresearch/schemas/config.schema.json')))
    throw new Error('the schemas are not in the package');
  console.log('packed install: init, plan and exec passed in an empty folder');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
