// The floor for a run with nothing to do: looks once at each file that the tasks read and write, and reads none of them.
// Usage: node stat-files.mjs GRAPH.json (in the project's folder)
import { readFileSync, statSync } from 'node:fs';

const { files } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let bytes = 0n;
for (const file of files) bytes += statSync(file, { bigint: true }).size;
process.stdout.write(`${files.length} files, ${bytes} bytes\n`);
