import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { writePlain } from '../../adapters/disk/plain-file.js';
import { stateDir } from '../../adapters/journal/run-store.js';
import { homeFoldersOf } from '../../adapters/sandbox/sandbox-homes.js';
import type { SandboxLevel } from '../../adapters/sandbox/sandbox-level.js';
import { fencedRunner } from '../../adapters/sandbox/sandbox-runner.js';
import type { AgentRequest } from '../../model/agents/agent.js';
import { globBase, isGlob } from '../../model/glob.js';
import type { CommandRunner, Files } from '../../model/ports.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { vaultPlace } from './vault-place.js';

export interface FenceTools {
  readonly project: Project;
  readonly context: CliContext;
  readonly commands: CommandRunner;
  readonly files: Files;
  readonly level: Extract<SandboxLevel, { level: 'bwrap' }>;
  /** What no agent may change, whatever its scope. */
  readonly held: readonly string[];
}

/** Starts what an agent is, so that it can write only what it may. */
export function fencedFor(
  request: AgentRequest,
  { project, context, commands, files, level, held }: FenceTools,
): CommandRunner {
  const { config } = project.resolved;
  const { root } = request;
  const main = project.resolved.root;
  const { env } = context;
  const tmp = join(request.dir, 'tmp');
  mkdirSync(tmp, { recursive: true });
  // What is to be seen inside has to be there from the start.
  const prompt = join(request.dir, 'prompt.md');
  writePlain(prompt, request.prompt);
  const writable = request.access === 'read' ? [] : writableIn(root, request.scope);
  const guarded = [
    ...(config.protect ?? []),
    ...(project.plan.tasks.find(({ id }) => id === request.task)?.protect ?? []),
  ];
  const attempt = dirname(request.dir);
  const logs = ['stdout.log', 'stderr.log'].map((name) => join(attempt, name));
  return fencedRunner(commands, {
    bwrap: level.program,
    path: env.PATH,
    warn: (unheld) => request.said(`sandbox: ${unheld.join('; ')}`),
    fence: {
      root,
      cwd: request.cwd,
      writable,
      readOnly: [
        ...held.flatMap((pattern) => placesOf(pattern, { root, files })).filter(isThere),
        ...guarded.flatMap((pattern) => placesOf(pattern, { root, files })),
      ],
      hidden: [
        dirname(stateDir(main, 'x')),
        ...[main, root].flatMap((tree) =>
          (['protect', 'scope'] as const).map((what) => vaultPlace(main, context, { what, tree })),
        ),
      ],
      visible: [prompt, tmp, ...logs].filter(isThere),
      ...(env.HOME === undefined ? {} : { home: env.HOME }),
      // A program of the user's may lie where the fence has something of its own, such as /tmp.
      seen: [request.agent.path, request.agent.run?.trim().split(/\s/)[0]].flatMap((path) =>
        path?.startsWith('/') && isThere(path) ? [dirname(path)] : [],
      ),
      homeFolders: homeFoldersOf(request.agent.backend, env),
    },
  });
}

/** The folders that a scope opens, made where they are missing; the whole project where there is none. */
function writableIn(root: string, scope: readonly string[] | undefined): readonly string[] {
  if (!scope) return [root];
  return scope.map((pattern) => {
    // Of a file its folder has to be there; of a glob the part before the first wildcard.
    const folder = resolve(root, isGlob(pattern) ? globBase(pattern) : dirname(pattern));
    const whole = resolve(root, pattern);
    mkdirSync(folder, { recursive: true });
    return !isGlob(pattern) && isThere(whole) ? whole : folder;
  });
}

/** A folder stands for all that is in it; of other globs only what is there now can be named. */
function placesOf(
  pattern: string,
  { root, files }: { readonly root: string; readonly files: Files },
): readonly string[] {
  if (!isGlob(pattern)) return [resolve(root, pattern)];
  if (pattern.endsWith('/**') && !isGlob(pattern.slice(0, -3))) return [resolve(root, pattern.slice(0, -3))];
  return files.expand([pattern]).map((path) => resolve(root, path));
}

const isThere = (path: string): boolean => existsSync(path);
