// One command of the program in the folder that is named first, as `bin.cjs` there would run it. See code-cache.mjs.
const { writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');

const [node, , out, ...args] = process.argv;
const { runProgram, cacheName } = require(join(out, 'code-cache.cjs'));
const kept = new Map();
// Reading what is kept takes its time, too: what only some studies need is not added to the files that all of them read.
const settled = new Set(process.env.SETTLED?.split(':'));
process.on('exit', () => {
  for (const [file, script] of kept)
    if (!settled.has(basename(cacheName(file)))) writeFileSync(cacheName(file), script.createCachedData());
});
process.argv = [node, join(out, 'bin.cjs'), ...args];
runProgram(join(out, 'cli.cjs'), require, (file, script) => kept.set(file, script));
