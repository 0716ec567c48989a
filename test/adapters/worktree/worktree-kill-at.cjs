// Preload (`node --require`): kills this process before its n-th change to the disk or its n-th git, counted together from 0.
// KILL_AT: n; KILL_HOW: `before` it happens, or `after` a git was started, which then works on without its parent.
// KILL_LOG: a file that gets a line for each.
const childProcess = require('node:child_process');
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { KILL_AT, KILL_HOW, KILL_LOG } = process.env;
const log = KILL_LOG ? fs.openSync(KILL_LOG, 'a') : undefined;
let seen = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function step(what, act, isGit) {
  const isIt = String(seen) === KILL_AT;
  seen += 1;
  if (log !== undefined) fs.writeSync(log, `${what}\n`);
  if (isIt && KILL_HOW === 'before') die();
  const result = act();
  if (isIt && isGit) dieBehind(result, what);
  return result;
}

/** A git that is told what to do through its input has been told all of it. */
function dieBehind(child, what) {
  if (!/ --stdin( |$)/.test(what)) die();
  child.stdin.end = (input) => {
    fs.writeSync(child.stdin._handle.fd, input);
    die();
  };
}

for (const name of ['writeFileSync', 'renameSync', 'rmSync', 'mkdirSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    // The mutex has tests of its own.
    if (/mutex/.test(String(args[0]))) return real(...args);
    return step(`${name} ${args[0]}`, () => real(...args), false);
  };
}
const { spawn } = childProcess;
childProcess.spawn = (...args) => step(`git ${args[1].join(' ')}`, () => spawn(...args), true);
syncBuiltinESMExports();
