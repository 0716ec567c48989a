import { randomBytes } from 'node:crypto';
import type { Clock, CommandRunner } from '../../model/ports.js';
import { ownPath } from '../process/own-path.js';
import { DirectRunner } from './direct.js';
import type { Environment } from './environment.js';
import { findProgram } from './find-program.js';
import { Warden } from './warden.js';

export interface CommandRunnerOptions {
  readonly clock: Clock;
  /** What commands inherit; a command's own variables come on top. */
  readonly env: Environment;
  /** How many commands the caller runs at once. More is not refused, only dearer. */
  readonly maxSlots: number;
  /** Of `newRunnerId`; whoever keeps it can find later what this runner left behind. */
  readonly runner?: string;
  /** From SIGTERM to SIGKILL. */
  readonly graceMs?: number;
  /** Start the helper now, so that it is there when the first command comes. Worth it when one is sure to come. */
  readonly warm?: boolean;
}

/** The warden wherever there is a bash (any since 3.2), else each command straight from Node. */
export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  const { clock, env, maxSlots, runner = newRunnerId(), graceMs = defaultGraceMs, warm = false } = options;
  if (!Number.isSafeInteger(maxSlots) || maxSlots < 1) throw new RangeError(`maxSlots is ${maxSlots}`);
  const bash = wanted(env) === 'direct' ? undefined : findBash(env.PATH);
  if (bash !== undefined) return new Warden({ bash, clock, env, maxSlots, runner, graceMs, warm });
  if (wanted(env) === 'warden') throw new Error('AUTORESEARCH_RUNNER=warden, but there is no bash');
  return new DirectRunner({ clock, env, runner, graceMs });
}

/** Begins the marker in the environment of every command that a runner starts. */
export const newRunnerId = (): string => randomBytes(8).toString('hex');

export const defaultGraceMs = 5000;

/** For tests; not documented. */
function wanted({ AUTORESEARCH_RUNNER: runner }: Environment): 'direct' | 'warden' | undefined {
  if (runner === undefined || runner === 'direct' || runner === 'warden') return runner;
  throw new Error(`AUTORESEARCH_RUNNER is ${runner}, not direct or warden`);
}

function findBash(path: string | undefined): string | undefined {
  if (process.platform === 'win32') return undefined;
  const found = findProgram('bash', '/', `${ownPath(path, process.cwd())}:/bin:/usr/bin:/usr/local/bin`);
  return found.kind === 'found' ? found.file : undefined;
}
