import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openWorkspace } from '../../adapters/behaviours/project-workspace.js';
import { openProjectFiles } from '../../adapters/disk/project-files.js';
import {
  type CheckoutTools,
  checkoutStanding,
  dirtyProblem,
  isOutput,
  told,
} from '../../adapters/git/checkout-problem.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { systemClock } from '../../adapters/system-clock.js';
import type { Vault } from '../../adapters/vault/vault.js';
import { VaultGuard } from '../../adapters/vault/vault-guard.js';
import type { GuardAt } from '../../adapters/worktree/own-tree-catch-up.js';
import { OwnTrees } from '../../adapters/worktree/own-trees.js';
import { openWorktrees, type Worktrees } from '../../adapters/worktree/worktrees.js';
import { type Failure, FailureError } from '../../model/failure.js';
import { errorLog } from '../../model/files/error-log-path.js';
import type { Guard } from '../../model/files/guard.js';
import type { Place } from '../../model/files/isolation.js';
import type { Files } from '../../model/ports.js';
import type { AttemptPorts } from '../../run/attempt/attempt-ports.js';
import { loadGlobMatch } from '../../source/glob.js';
import { ownVault } from '../clean/own-vault.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { evidencePlace, keptFolder, vaultPlace } from './vault-place.js';
import { worktreePlace } from './worktree-place.js';

export interface WorktreeInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly files: Files;
  readonly run: string;
  readonly iteration: number;
  hide(text: string): string;
}

/** What tasks need that work in worktrees, or whose outputs are committed. */
export async function worktreePorts(
  input: WorktreeInput,
): Promise<Required<Pick<AttemptPorts, 'isolation' | 'commitFiles'>>> {
  const { project, context, files, run, hide } = input;
  const { config } = project.resolved;
  const checkout = await told(() => checkoutOf(project, context));
  const { root, worktrees, match } = checkout;
  const evidence = evidencePlace(root, context, run);
  const inside = relative(worktrees.top, root);
  return {
    isolation: new OwnTrees({
      ...checkout,
      agentId: context.agentId,
      iteration: input.iteration,
      files,
      protect: config.protect ?? [],
      hide,
      placeAt,
      forgetter(at) {
        // Once it is gone nobody can tell where it really was.
        if (!existsSync(at)) return () => {};
        const places = (['protect', 'scope'] as const).map((what) => vaultPlace(root, context, { what, tree: at }));
        return () => {
          for (const place of places) rmSync(place, { recursive: true, force: true });
        };
      },
      guardAt: (at, patterns, protection) =>
        guardAt(
          { vault: () => ownVault(root, context, { what: 'protect', tree: at }), evidence },
          patterns,
          protection,
        ),
    }),
    commitFiles(wanted, message) {
      const isProtected = (file: string): boolean => (config.protect ?? []).some((pattern) => match(pattern, file));
      const own = wanted.filter((file) => !isProtected(file)).map((file) => join(inside, file));
      return told(() => worktrees.commitHere(own, hide(message)));
    },
  };
}

/** Commits files of the project in the checkout that people work in. */
export function commitHere(
  project: Project,
  context: CliContext,
  { files, message }: { readonly files: readonly string[]; readonly message: string },
): Promise<unknown> {
  return told(async () => {
    const { root, worktrees } = await checkoutOf(project, context);
    const inside = relative(worktrees.top, root);
    return worktrees.commitHere(
      files.map((file) => join(inside, file)),
      message,
    );
  });
}

/** Why nothing can be merged or committed now; undefined when it can. `mayBeDirty`: changes that are in nobody's way. */
export async function checkoutFailure(
  project: Project,
  context: CliContext,
  mayBeDirty: 'nothing' | 'all' | 'all but the config',
): Promise<Failure | undefined> {
  try {
    const checkout = await told(() => checkoutOf(project, context));
    const standing = await told(() => checkoutStanding(checkout));
    if ('failure' in standing) return standing.failure;
    if (mayBeDirty === 'all') return undefined;
    await told(() => checkout.worktrees.checkSupported(standing.head));
    if (standing.dirty.length === 0) return undefined;
    if (mayBeDirty === 'nothing') return dirtyProblem(standing.dirty).failure;
    const config = relative(checkout.worktrees.top, realpathSync(project.resolved.file));
    return standing.dirty.includes(config) ? configProblem(config) : undefined;
  } catch (error) {
    if (error instanceof FailureError) return error.failure;
    throw error;
  }
}

/** Puts the changes of the checkout aside, but for what stages have made; tells the commit that holds them. */
export function stashCheckout(project: Project, context: CliContext): Promise<string | undefined> {
  return told(async () => {
    const checkout = await checkoutOf(project, context);
    const message = `autoresearch exec --stash (${project.plan.name})`;
    return checkout.worktrees.stash(message, (file) => isOutput(file, checkout));
  });
}

async function checkoutOf(project: Project, context: CliContext): Promise<CheckoutTools> {
  const { resolved } = project;
  // Opened once: finding out about a repository takes git a few processes.
  let worktrees = opened.get(resolved);
  if (!worktrees) {
    worktrees = treesOf(project, context);
    opened.set(resolved, worktrees);
  }
  // A task file may add to the plan while it is carried out.
  const outputs = (): readonly string[] => outputsOf(project);
  return { root: realpathSync(resolved.root), worktrees: await worktrees, outputs, match: await loadGlobMatch() };
}

const opened = new WeakMap<Project['resolved'], Promise<Worktrees>>();

function treesOf({ resolved }: Project, context: CliContext): Promise<Worktrees> {
  const root = realpathSync(resolved.root);
  // Recordings are made while it works, and failures are told.
  const cassettes = relative(root, resolve(root, resolved.config.cassettes ?? 'cassettes'));
  const isRecorded = context.flag('record') && !cassettes.startsWith('..');
  return openWorktrees({
    root,
    dir: worktreePlace(stateDir(root, context.agentId)),
    logDir: join(keptFolder(root, context.env), 'checkouts'),
    clock: systemClock,
    env: context.env,
    leaveOut: ['.autoresearch', errorLog, ...(isRecorded ? [cassettes] : [])],
  });
}

const configProblem = (config: string): Failure => ({
  code: 'worktree-failed',
  detail: `your config ${config} has changes that are in no commit: put aside, they would not be what is run`,
  fix: 'Commit it first',
});

const outputsOf = ({ plan }: Project): readonly string[] =>
  plan.tasks.flatMap(({ outputs, description }) => [...outputs, ...(description.writes ?? [])]);

async function placeAt(root: string, guard: Guard | undefined): Promise<Place> {
  return {
    files: await openProjectFiles(root, { globs: true }),
    workspace: openWorkspace(root),
    ...(guard ? { guard } : {}),
    checkSchema: async (file, schema) =>
      (await import('../../adapters/behaviours/output-schema.js')).checkFile(join(root, file), join(root, schema)),
  };
}

interface GuardPlaces {
  vault(): Promise<Vault>;
  readonly evidence: string;
}

/** `protection`: what was kept when the worktree was made; it may have been changed since, and that is to be found. */
async function guardAt(
  places: GuardPlaces,
  patterns: readonly string[],
  protection: string | undefined,
): Promise<GuardAt | undefined> {
  if (patterns.length === 0) return undefined;
  try {
    const vault = await places.vault();
    const kept = protection === undefined ? vault.keep(patterns) : vault.load(protection);
    const guard = new VaultGuard(vault, kept, places.evidence);
    return { guard, digest: kept.digest, differences: () => guard.differences() };
  } catch (error) {
    throw new FailureError({ code: 'cannot-protect', detail: (error as Error).message });
  }
}
