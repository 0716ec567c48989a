import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Each test file has a folder for temporary files, which goes when the file is done: a whole run makes many thousands of
// them, and a worker that is ended by its pool gets no chance to clear up. The name is short, for the sake of sockets.
process.env.MACHINE_TMPDIR ??= tmpdir();
const own = mkdtempSync(join(process.env.MACHINE_TMPDIR, 'ar-'));
// Some tests work as nobody.
chmodSync(own, 0o1777);
process.env.TMPDIR = own;
afterAll(() => rmSync(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));

// Messages name the program as it has to be typed. Tests may be started by npx or not, so here it stands on the PATH.
delete process.env.npm_command;
process.env.PATH = `${join(import.meta.dirname, 'bin')}:${process.env.PATH ?? ''}`;
