// Preload (`node --require`): kills this process around its n-th change of what is below a folder, counted from 0.
// CHANGE_BELOW: the folder, absolute; CHANGE_AT: n, absent: only count; CHANGE_HOW: `before` it, or `after`. CHANGE_LOG: a file with a line for each.
const fs = require('node:fs');

const { CHANGE_BELOW, CHANGE_AT, CHANGE_HOW, CHANGE_LOG } = process.env;
for (const name of ['CHANGE_BELOW', 'CHANGE_AT', 'CHANGE_HOW', 'CHANGE_LOG', 'NODE_OPTIONS']) delete process.env[name];
let seen = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

for (const name of ['renameSync', 'rmSync', 'mkdirSync', 'chmodSync', 'symlinkSync', 'unlinkSync', 'utimesSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    const isMeant = args.slice(0, 2).some((path) => /^(string|object)$/.test(typeof path) && isBelow(String(path)));
    if (!isMeant) return real(...args);
    const isIt = String(seen) === CHANGE_AT;
    seen += 1;
    if (CHANGE_LOG) fs.appendFileSync(CHANGE_LOG, `${name} ${args[0]}\n`);
    if (isIt && CHANGE_HOW === 'before') die();
    const end = real(...args);
    if (isIt) die();
    return end;
  };
}

const isBelow = (path) => path === CHANGE_BELOW || path.startsWith(`${CHANGE_BELOW}/`);
