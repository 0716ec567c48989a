import { cliPackages } from '../../adapters/agents/cli/cli-packages.js';
import { loginSign } from '../../adapters/agents/cli/login-signs.js';
import { findProgram } from '../../adapters/command/find-program.js';
import { packedVersion } from '../../adapters/process/program-version.js';
import type { Finding } from '../../model/finding.js';
import type { CliContext } from '../context.js';
import { clientsOf } from './machine.js';

/** What a study could use here, for who has none yet. Nothing of it has to be there, and nothing is started. */
export function hereFindings({ cwd, env }: CliContext): readonly Finding[] {
  const isThere = (program: string): boolean => findProgram(program, cwd, env.PATH).kind === 'found';
  const found = Object.entries(cliPackages).flatMap(([name, from]) => {
    const program = findProgram(name, cwd, env.PATH);
    if (program.kind !== 'found') return [];
    const version = packedVersion(program.file, from);
    return [{ name, login: loginSign(name, env), ...(version === undefined ? {} : { version }) }];
  });
  const isReady = found.length === 0 || found.some(({ login }) => login !== 'not-seen');
  return [
    { check: 'clis', standing: isReady ? 'fine' : 'odd', found },
    {
      check: 'schedulers',
      standing: 'fine',
      found: Object.entries(clientsOf).flatMap(([type, programs]) => (programs.every(isThere) ? [type] : [])),
    },
  ];
}
