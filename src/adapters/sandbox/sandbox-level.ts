import { execFile } from 'node:child_process';
import type { Environment } from '../command/environment.js';
import { findProgram } from '../command/find-program.js';
import { bwrapArgs } from './sandbox-args.js';

export type SandboxLevel =
  | { readonly level: 'bwrap'; readonly program: string }
  | { readonly level: 'none'; readonly why: string };

const known = new Map<string, Promise<SandboxLevel>>();

/** Whether agents can be fenced in here. Having bwrap is not enough, so it is tried, once in the life of the process. */
export function sandboxLevel(env: Environment): Promise<SandboxLevel> {
  if (process.platform !== 'linux')
    return Promise.resolve(none(`bubblewrap is for Linux, not for ${process.platform}`));
  const found = findProgram('bwrap', '/', `${env.PATH ?? ''}:/usr/bin:/bin:/usr/local/bin`);
  if (found.kind !== 'found') return Promise.resolve(none('bubblewrap (bwrap) is not installed'));
  let level = known.get(found.file);
  if (level === undefined) {
    level = tried(found.file);
    known.set(found.file, level);
  }
  return level;
}

/** Says so only when what must be refused was refused: a program called bwrap that just runs its arguments is no fence. */
function tried(program: string): Promise<SandboxLevel> {
  const args = [...bwrapArgs(smallest), '--', '/bin/sh', '-c', question];
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { timeout: patienceMs, killSignal: 'SIGKILL', env: {}, cwd: '/' },
      (error, stdout, stderr) => {
        if (stdout === answer) return resolve({ level: 'bwrap', program });
        const said =
          stderr.trim().split('\n')[0] || (error?.killed ? 'it did not end in time' : 'it does not keep its word');
        resolve(none(`${program} does not work here: ${said}`));
      },
    );
  });
}

const smallest = {
  ...{ root: '/usr', cwd: '/', writable: [], readOnly: [], hidden: ['/etc'] },
  ...{ visibleFiles: [], visibleFolders: [], beside: [], seen: [], links: [] },
};

/**
 * Its own pid namespace, no capability, nothing in the hidden folder, no way to write there, a /tmp to write. Writing is
 * only asked about, not tried: a false bwrap would let it happen.
 */
const question = [
  '[ $$ -le 9 ] && echo pid',
  'while read -r name value; do [ "$name$value" = CapEff:0000000000000000 ] && echo cap; done </proc/self/status',
  '[ -e /etc/passwd ] || echo hidden',
  '[ -w /etc ] || echo refused',
  '[ -w /tmp ] && echo tmp',
].join('; ');
const answer = 'pid\ncap\nhidden\nrefused\ntmp\n';

const patienceMs = 5000;
const none = (why: string): SandboxLevel => ({ level: 'none', why });
