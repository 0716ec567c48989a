import { realpathSync, statSync } from 'node:fs';
import type { Vault } from '../../adapters/vault/vault.js';
import { watchTree } from '../../adapters/watch/tree-watch.js';
import { openNote, type WatchNote } from '../../adapters/watch/watch-notes.js';
import { FailureError } from '../../model/failure.js';
import type { FileWatch } from '../../model/files/file-watch.js';
import { globPlace } from '../../model/glob.js';
import { stageList } from '../../model/stage-list.js';
import type { AgentPorts } from '../../run/agents/ask-desk.js';
import { ownVault } from '../clean/own-vault.js';
import type { CliContext } from '../context.js';
import type { Project } from '../project/open-project.js';
import { notesPlace, vaultPlace } from './vault-place.js';

export interface WatchInput {
  readonly project: Project;
  readonly context: CliContext;
  readonly run: string;
  /** Files and folders of the project that the runner itself writes. */
  readonly leaveOut: readonly string[];
  readonly held: readonly string[];
  /** Absolute. */
  readonly evidence: string;
  /** Agents cannot write outside of their scope anyway. */
  readonly isFenced: boolean;
}

/** Eyes on what agents do to the files, and to git. What they see is noted where the next process finds it. */
export function watchPorts(input: WatchInput): Required<Pick<AgentPorts, 'watchFiles' | 'watchGit'>> {
  const { project, context, run, leaveOut, held, evidence, isFenced } = input;
  const { root, config } = project.resolved;
  const notes = notesPlace(root, context);
  const vaults = new Map<string, Promise<Vault>>();
  const vaultOf = (tree: string): Promise<Vault> => {
    const known = vaults.get(tree) ?? scopeVault(root, context, tree);
    vaults.set(tree, known);
    return known;
  };
  const note = (of: Pick<WatchNote, 'task' | 'agent' | 'place' | 'kept' | 'git'>) =>
    openNote(notes, { run, held, ...of });
  const protects = stageList(config).flatMap(([, { protect = [] }]) => protect);
  const places = [...(config.protect ?? []), ...protects].map(globPlace);
  const paths = places.filter((path) => path !== '');
  return {
    async watchFiles(place, allowed, { undoes = false, ...whose }) {
      const made = project.plan.tasks.flatMap(({ outputs, description }) => [
        ...outputs,
        ...(description.writes ?? []),
      ]);
      // Who is only to look has no reason to spoil anything: it is not refused for what could not be brought back.
      const options = { root: place, leaveOut, held, made, evidence, isFenced: isFenced || allowed?.length === 0 };
      const watch = await watchTree({ ...options, vault: await vaultOf(place), ...(allowed ? { allowed } : {}) });
      const { name, end } = note({ ...whose, place, kept: watch.kept });
      // Not noted: whoever was killed goes on with what it had written.
      const own =
        undoes && allowed
          ? await watchTree({ root: place, leaveOut, held: allowed, evidence, vault: await vaultOf(place) })
          : undefined;
      const undo: FileWatch['undo'] = (theirs) => {
        const files = own ? theirs(own.changed()) : [];
        if (files.length > 0) own?.putBack(files);
      };
      const noted: FileWatch = { changed: watch.changed, putBack: watch.putBack, undo, note: name, end };
      return place === root ? noted : whileThere(place, noted);
    },
    async watchGit({ isApart, isBound, ...whose }) {
      const { watchGit } = await import('../../adapters/git/git-watch.js');
      const dir = vaultPlace(root, context, { what: 'scope' });
      await vaultOf(root);
      // A pattern that begins anywhere protects files anywhere.
      const isWide = isBound || places.includes('');
      const isGuarded = isWide || paths.length > 0;
      const watch = await watchGit({
        ...{ root, dir, evidence, isWide, isHeadApart: isApart },
        ...(isGuarded ? { paths } : {}),
      });
      if (!watch) return undefined;
      const { end } = note({ ...whose, place: root, kept: [], git: watch.noted });
      return {
        async end(found) {
          const breach = await watch.end(found);
          end();
          return breach;
        },
      };
    },
  };
}

/** Without a place for copies nothing could be put back, so nobody is asked. */
export async function scopeVault(root: string, context: CliContext, tree: string): Promise<Vault> {
  try {
    return await ownVault(root, context, { what: 'scope', tree });
  } catch (error) {
    throw new FailureError({ code: 'cannot-protect', detail: (error as Error).message });
  }
}

/** A worktree that is gone, or leads elsewhere now, has no changes, and nothing is put back there. */
const whileThere = (place: string, watch: FileWatch): FileWatch => ({
  ...watch,
  changed: () => (isReal(place) ? watch.changed() : []),
  putBack: (files) => (isReal(place) ? watch.putBack(files) : undefined),
});

export function isReal(folder: string): boolean {
  try {
    return realpathSync(folder) === folder && statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
