// One command of the program in the folder that is named first, as `bin.cjs` there would run it. See code-cache.mjs.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const [node, , out, ...args] = process.argv;
const { loadCompiled, cacheName } = require(join(out, 'code-cache.cjs'));
const kept = new Map();
loadCompiled((file, script) => kept.set(file, script));
process.on('exit', () => {
  for (const [file, script] of kept) writeFileSync(cacheName(file), script.createCachedData());
});
process.argv = [node, join(out, 'bin.cjs'), ...args];
require(join(out, 'cli.cjs'));
