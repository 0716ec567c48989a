// Everything a fresh clone needs before `npm start` or `npm test`: packages, generated files, the bundle.
// Uses only Node, because nothing is installed yet when it runs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const lock = readFileSync('package-lock.json', 'utf8');
const stamp = 'node_modules/.autoresearch-setup';

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  // Not `npm ci`: it refuses a lock file without the native packages of every other platform.
  run('npm', ['install', '--no-audit', '--no-fund', '--no-save']);
  writeFileSync(stamp, lock);
}
// Building takes longer than most commands, so it is done when something it is made from has changed.
const built = 'node_modules/.autoresearch-built';
if (!existsSync('dist/bin.cjs') || !existsSync(built) || readFileSync(built, 'utf8') !== sources()) {
  run(process.execPath, ['scripts/generate.mjs']);
  run(process.execPath, ['scripts/build.mjs']);
  writeFileSync(built, sources());
}

/** What the build is made from: which files there are, how long they are and when they were changed; and which Node compiles ahead. */
function sources() {
  const sum = createHash('sha256').update(`${process.version} ${lock}`);
  const folders = ['src', 'stages', 'schemas', 'pipelines', 'scripts'];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else {
        const { size, mtimeMs, ctimeMs } = statSync(path);
        sum.update(`${path} ${size} ${mtimeMs} ${ctimeMs}\n`);
      }
    }
  return sum.update(readFileSync('package.json')).digest('hex');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(
    `\nSet-up stopped: ${[command, ...args].join(' ')} ${error ? `could not be started (${error.message})` : `ended with ${status}`}.`,
  );
  process.exit(1);
}
