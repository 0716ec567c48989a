import { dirname } from 'node:path';
import { lookAtGit } from '../../adapters/git/git-look.js';
import { exitCode } from '../../model/exit-code.js';
import type { Finding } from '../../model/finding.js';
import { again } from '../again.js';
import type { CliContext } from '../context.js';
import { agentFindings } from '../doctor/agents.js';
import { hereFindings } from '../doctor/here.js';
import {
  type LeftoversInput,
  placeFindings,
  processFindings,
  sessionFindings,
  worktreeFindings,
} from '../doctor/leftovers.js';
import { clusterFindings, gitFinding, nodeFinding, programFindings, sandboxFinding } from '../doctor/machine.js';
import { repositoryFindings } from '../doctor/repository.js';
import { folderFindings, lockFinding, lockOf, newestRun, runsFinding } from '../doctor/state.js';
import { lookAtStudy, type Study } from '../doctor/study.js';
import { storeFor } from '../history/open-run.js';

/** What works here and what does not. Changes nothing, takes no lock, asks nobody outside of this machine but Slurm's controller. */
export async function run(context: CliContext): Promise<number> {
  const findings = await examine(context);
  const options = { again: again(context), cwd: context.cwd };
  if (context.flag('json')) {
    const { doctorJson } = await import('../../report/doctor/doctor-json.js');
    context.stdout.write(`${JSON.stringify(doctorJson(findings, options), null, 2)}\n`);
  } else {
    const { doctorText } = await import('../../report/doctor/doctor-text.js');
    const { color } = context.stdout;
    context.stdout.write(doctorText(findings, { ...options, color, quiet: context.quiet }));
  }
  return findings.some(({ standing }) => standing === 'wrong') ? exitCode.failed : exitCode.passed;
}

async function examine(context: CliContext): Promise<readonly Finding[]> {
  context.progress.at({ what: 'looking at this machine', done: 0 });
  const store = await storeFor(context);
  const root = dirname(dirname(store.dir));
  // Each look stands for itself: what cannot be looked at is one finding, and the others are still told.
  const git = lookAtGit(root, context.env);
  const study = safely('the config', () => lookAtStudy(context));
  const known = async (): Promise<Study> => {
    const found = await study;
    return 'findings' in found ? found : { agents: [], findings: [found] };
  };
  // Read once, and inside of the looks, so that a disk that does not answer is a finding too.
  let seen: LeftoversInput | undefined;
  const state = (): LeftoversInput => {
    seen ??= { root, store, context, newest: newestRun(store), isAtWork: lockOf(store)?.standing === 'alive' };
    return seen;
  };
  const families = await Promise.all([
    safely('Node', async () => [nodeFinding()]),
    safely('git', async () => [gitFinding(await git, (await known()).config)]),
    safely('the sandbox', async () => [await sandboxFinding(await known(), context)]),
    safely('programs', async () => programFindings(await known(), context)),
    safely('clusters', async () => clusterFindings(await known(), context)),
    safely('the repository', async () => repositoryFindings(await git, root, (await known()).config)),
    known().then(({ findings }) => findings),
    safely('agents', async () => {
      const found = await known();
      return found.isNone ? hereFindings(context) : agentFindings(found, root, context);
    }),
    safely('the state folder', async () => folderFindings(store)),
    safely('the lock', async () => [lockFinding(lockOf(store))]),
    safely('runs', async () => [await runsFinding(store, state().newest, context)]),
    safely('processes', async () => processFindings(state())),
    safely('sessions', async () => sessionFindings(state())),
    safely('worktrees', async () => worktreeFindings(state())),
    safely('vaults and evidence', async () => placeFindings(state())),
  ]);
  const findings = families.flat();
  return findings.some(({ check }) => leftovers.has(check))
    ? findings
    : [...findings, { check: 'leftovers', standing: 'fine' }];
}

const leftovers: ReadonlySet<Finding['check']> = new Set(['processes', 'sessions', 'worktrees', 'stashes', 'failed']);

type Failed = Extract<Finding, { check: 'failed' }>;

async function safely<Value>(what: string, look: () => Promise<Value>): Promise<Value | Failed> {
  try {
    return await look();
  } catch (error) {
    const detail = (error as Error).message?.split('\n')[0] ?? String(error);
    return { check: 'failed', standing: 'wrong', what, detail } as Failed;
  }
}
