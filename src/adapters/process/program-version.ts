import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../command/environment.js';
import { askProgram } from './ask-program.js';

/** What a small program says when it is asked; undefined when it is not there or does not answer. */
export async function saidVersion(program: string, flag: string, env: Environment): Promise<string | undefined> {
  const few = Object.fromEntries(Object.entries(env).filter(([name]) => ['PATH', 'HOME', 'PYENV_ROOT'].includes(name)));
  const question = { program, args: [flag], env: few, cwd: '/', timeoutMs: 5000, mostBytes: 1 << 16 };
  const answer = await askProgram({ ...question, rest: 'ends' });
  return answer.kind === 'exited' && answer.exitCode === 0 ? /\d+(\.\w+)*/.exec(answer.stdout)?.[0] : undefined;
}

/** The version of a program that came with npm, read beside it: starting a coding CLI takes a second and may write. */
export function packedVersion(program: string, name: string): string | undefined {
  try {
    const real = realpathSync(program);
    for (let folder = dirname(real); dirname(folder) !== folder; folder = dirname(folder)) {
      const file = join(folder, 'package.json');
      if (!existsSync(file)) continue;
      const said = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown };
      if (said.name === name && typeof said.version === 'string') return said.version;
    }
    // A single file is often called by its version.
    return /\/v?(\d+\.\d+\.\d+)(\/|$)/.exec(real)?.[1];
  } catch {
    return undefined;
  }
}
