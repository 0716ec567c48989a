// The first file Node reads. `--version` is answered here, before anything else is loaded.
import { join } from 'node:path';
import { runProgram } from './code-cache.js';

declare const __VERSION__: string;

const first = process.argv[2];
if (first === '--version' || first === '-V') process.stdout.write(`${__VERSION__}\n`);
else runProgram(join(import.meta.dirname, 'cli.cjs'), require);
