// Everything a fresh clone needs before `npm start` or `npm test`: packages, generated files, the bundle.
// Uses only Node, because nothing is installed yet when it runs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const lock = readFileSync('package-lock.json', 'utf8');
const stamp = 'node_modules/.autoresearch-setup';
const run = (command, args) => execFileSync(command, args, { stdio: 'inherit' });

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  run('npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, lock);
}
run(process.execPath, ['scripts/generate.mjs']);
run(process.execPath, ['scripts/build.mjs']);
