import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../adapters/command/find-program.js';
import type { GitLook } from '../../adapters/git/git-look.js';
import { allowedEnvironment } from '../../adapters/process/allowed-environment.js';
import { saidVersion } from '../../adapters/process/program-version.js';
import { sandboxLevel } from '../../adapters/sandbox/sandbox-level.js';
import { askTool, troubleOf } from '../../adapters/schedulers/ask-tool.js';
import { slurmEnvironment } from '../../adapters/schedulers/slurm.js';
import type { Finding } from '../../model/finding.js';
import type { Config } from '../../model/generated/config.js';
import { isForPython, knownSource, type ValueSource } from '../../model/value-source.js';
import type { CliContext } from '../context.js';
import { packageRoot } from '../package-files.js';
import type { Study } from './study.js';

/** Node, as this package wants it. */
export function nodeFinding(version = process.versions.node): Finding {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const wanted = engines.node.replace('>=', '');
  return { check: 'node', standing: isAtLeast(version, wanted) ? 'fine' : 'wrong', version, wanted };
}

/** Git itself; only worktrees need it, and a new one. */
export function gitFinding({ version }: Pick<GitLook, 'version'>, config: Config | undefined): Finding {
  const wanted = '2.38';
  const isRight = version !== undefined && isAtLeast(version, wanted);
  const isNeeded = inWorktrees(config).length > 0;
  return {
    check: 'git',
    standing: isRight ? 'fine' : isNeeded ? 'wrong' : 'odd',
    ...(version === undefined ? {} : { version }),
    wanted,
  };
}

export const inWorktrees = (config: Config | undefined): readonly string[] =>
  Object.entries(config?.stages ?? {}).flatMap(([name, { isolation }]) => (isolation === 'worktree' ? [name] : []));

function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => (text.match(/\d+/g) ?? []).map(Number));
  for (const [index, number] of want!.entries()) {
    const here = have![index] ?? 0;
    if (here !== number) return here > number;
  }
  return true;
}

/** What holds agents in here. Said even where nothing asks for it: it is what one looks up before one does. */
export async function sandboxFinding({ config, agents }: Study, { env }: CliContext): Promise<Finding> {
  const found = await sandboxLevel(env);
  const wanted = config && agents.length > 0 ? (config.sandbox ?? 'none') : undefined;
  const isMissed = found.level === 'none' && (wanted === 'bwrap' || wanted === 'auto');
  return {
    check: 'sandbox',
    standing: !isMissed ? 'fine' : wanted === 'bwrap' ? 'wrong' : 'odd',
    level: found.level,
    ...(wanted === undefined ? {} : { wanted }),
    ...(found.level === 'none' ? { why: found.why } : {}),
  };
}

const isReadByPython = (arm: ValueSource): boolean => {
  const source = knownSource(arm);
  return typeof source !== 'string' && source.kind === 'file' && isForPython(source);
};

/** Programs that only some studies need; nothing is said of them elsewhere. */
export async function programFindings({ config, agents }: Study, { env }: CliContext): Promise<readonly Finding[]> {
  const interactive = agents.flatMap(([name, agent]) => (agent.interactive ? [name] : []));
  const python = Object.entries(config?.parity ?? {}).flatMap(([name, { arms, python: own }]) =>
    own === undefined && Object.values(arms).some(isReadByPython) ? [name] : [],
  );
  const asked = [
    { name: 'tmux' as const, flag: '-V', neededBy: interactive },
    { name: 'python3' as const, flag: '--version', neededBy: python },
  ].filter(({ neededBy }) => neededBy.length > 0);
  return Promise.all(
    asked.map(async ({ name, flag, neededBy }): Promise<Finding> => {
      const version = await saidVersion(name, flag, env);
      const facts = { check: 'program' as const, name, neededBy };
      return version === undefined ? { ...facts, standing: 'wrong' } : { ...facts, standing: 'fine', version };
    }),
  );
}

export const clusterFindings = ({ config }: Study, { cwd, env }: CliContext): Promise<readonly Finding[]> =>
  Promise.all(
    Object.entries(config?.clusters ?? {}).map(async ([name, { type }]): Promise<Finding> => {
      const missing = (clientsOf[type] ?? []).filter((program) => findProgram(program, cwd, env.PATH).kind !== 'found');
      const problem = type === 'slurm' && missing.length === 0 ? await slurmSilence(env) : undefined;
      const facts = { check: 'cluster' as const, name, type, missing };
      if (problem !== undefined) return { ...facts, standing: 'wrong', problem };
      return { ...facts, standing: missing.length === 0 ? 'fine' : 'wrong' };
    }),
  );

/** Why the controller does not answer, in the environment that a run would ask it in; undefined when it does. */
async function slurmSilence(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  // The program that a run asks with, and a name that no job has.
  const run = ['squeue', '-h', '--name=autoresearch-doctor', '-o', '%i'];
  const question = { run, cwd: '/', timeoutMs: controllerMs };
  const answer = await askTool({ ...question, env: slurmEnvironment(allowedEnvironment(env)) });
  return answer.kind === 'exited' && answer.exitCode === 0 ? undefined : troubleOf(answer, 'squeue');
}

/** Somebody waits for the doctor. */
const controllerMs = 5000;

/** By which jobs are handed over and asked for. */
export const clientsOf: { readonly [type: string]: readonly string[] } = {
  slurm: ['sbatch', 'squeue', 'sacct', 'scancel'],
  kubernetes: ['kubectl'],
};
