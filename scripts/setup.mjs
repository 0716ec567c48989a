// Everything a fresh clone needs before `npm start` or `npm test`: packages, generated files, the bundle.
// Uses only Node, because nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const lock = readFileSync('package-lock.json', 'utf8');
const stamp = 'node_modules/.autoresearch-setup';

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  // Not `npm ci`: it refuses a lock file without the native packages of every other platform.
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save']);
  writeFileSync(stamp, lock);
}
run(process.execPath, ['scripts/generate.mjs']);
run(process.execPath, ['scripts/build.mjs']);

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(
    `\nSet-up stopped: ${[command, ...args].join(' ')} ${error ? `could not be started (${error.message})` : `ended with ${status}`}.`,
  );
  process.exit(1);
}
