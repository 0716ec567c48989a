import { execFile } from 'node:child_process';
import { ownPath } from '../process/own-path.js';
import type { Repository } from './git-guard-find.js';

/**
 * Asks git about a repository whose settings may be hostile: no hook, no file watcher, no pager, no transport, nothing of
 * the user's or the machine's own settings, and a limit on the time. Only plumbing that needs no content of the work
 * tree is asked, so that no filter and no diff program has a part in it. Throws when git does not answer.
 */
export function askGit(repository: Repository, args: readonly string[], input = ''): Promise<string> {
  const { root } = repository;
  const quiet = quietGit(repository);
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...quiet.args, ...args],
      { cwd: root, env: quiet.env, timeout: mostMs, killSignal: 'SIGKILL', maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const why = error.killed
          ? `gave no answer in ${mostMs / 1000} s`
          : stderr.trim().split('\n')[0] || error.message;
        reject(Object.assign(new Error(`git ${args[0]}: ${why}`), { exitCode: error.code }));
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** What comes before the command, and the environment, for asking such a repository. */
export const quietGit = ({ top, gitDir }: Pick<Repository, 'top' | 'gitDir'>) => ({
  args: [`--git-dir=${gitDir}`, `--work-tree=${top}`, ...harmless],
  env: environment(top),
});

const mostMs = 10_000;

/** The command line outranks every file of settings. */
const harmless = [
  '--no-pager',
  '--no-replace-objects',
  '--literal-pathspecs',
  ...[
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'core.untrackedCache=false',
    'core.attributesFile=/dev/null',
    'core.excludesFile=/dev/null',
    'core.alternateRefsCommand=false',
    'core.sshCommand=false',
    'credential.helper=',
    'protocol.allow=never',
    'gc.auto=0',
    'maintenance.auto=false',
    'log.showSignature=false',
    'gpg.program=false',
    'submodule.recurse=false',
    'safe.directory=*',
  ].flatMap((setting) => ['-c', setting]),
];

const environment = (top: string): NodeJS.ProcessEnv => ({
  PATH: ownPath(process.env.PATH, top),
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Also for older versions, which fetch what is missing whether they are asked to or not.
  GIT_ALLOW_PROTOCOL: 'none',
});
