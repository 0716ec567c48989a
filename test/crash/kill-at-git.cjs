// Preload (`node --require`): kills this process around its n-th git, counted from 0.
// KILL_AT: n; KILL_HOW: `before` it is started, or `after`, when it works on without its parent. KILL_LOG: a file with a line for each.
// KILL_ONLY: a pattern for those that count; all unless stated.
const childProcess = require('node:child_process');
const fs = require('node:fs');

const { KILL_AT, KILL_HOW, KILL_LOG, KILL_ONLY = '' } = process.env;
for (const name of ['KILL_AT', 'KILL_HOW', 'KILL_LOG', 'KILL_ONLY', 'NODE_OPTIONS']) delete process.env[name];
let seen = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

const { spawn } = childProcess;
childProcess.spawn = (program, args, ...rest) => {
  if (program !== 'git' || !new RegExp(KILL_ONLY).test(args.join(' '))) return spawn(program, args, ...rest);
  const isIt = String(seen) === KILL_AT;
  seen += 1;
  if (KILL_LOG) fs.appendFileSync(KILL_LOG, `${args.join(' ')}\n`);
  if (isIt && KILL_HOW === 'before') die();
  const child = spawn(program, args, ...rest);
  if (isIt && !args.includes('--stdin')) die();
  // One that is told what to do through its input has been told all of it.
  if (isIt)
    child.stdin.end = (input) => {
      fs.writeSync(child.stdin._handle.fd, input);
      die();
    };
  return child;
};
