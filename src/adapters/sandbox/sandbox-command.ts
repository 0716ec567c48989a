import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Failure } from '../../model/failure.js';
import type { CommandSpec } from '../../model/ports.js';
import { err, ok, type Result } from '../../model/result.js';
import { prepareCommand } from '../command/prepare-command.js';
import { bwrapArgs, isBelow, replaced } from './sandbox-args.js';
import { type Fence, settleFence } from './sandbox-fence.js';
import { holdPlaces } from './sandbox-places.js';

export interface FencedCommand {
  readonly spec: CommandSpec;
  /** What bwrap cannot hold, in words. */
  readonly unheld: readonly string[];
  /** To be called when the command has ended; takes away what was made for it. */
  release(): void;
}

export interface Fencing {
  readonly fence: Fence;
  /** Absolute path of bwrap, of `sandboxLevel`. */
  readonly bwrap: string;
  /** The runner's PATH, for commands that bring none. */
  readonly path: string | undefined;
}

/** The same command inside the fence. That its program is missing is told now, as bwrap would just fail. */
export function fencedCommand(spec: CommandSpec, { fence, bwrap, path }: Fencing): Result<FencedCommand, Failure> {
  const prepared = prepareCommand(spec, path);
  if (!prepared.ok) return prepared;
  const { program, args, env } = prepared.value;
  const tools = [program, ...(env.PATH ?? path ?? '').split(':')].flatMap(toolFolder);
  const given = { ...fence, seen: [...(fence.seen ?? []), ...tools] };
  const undo: (() => void)[] = [];
  const release = (): void => {
    for (const step of undo.splice(0).reverse()) step();
  };
  const refuse = (detail: string): Result<never, Failure> => {
    release();
    return err({ code: 'command-not-started', detail: `sandbox: ${detail}` });
  };
  const first = settleFence(given);
  if (!first.ok) return refuse(first.error);
  try {
    const { readOnly, hidden } = first.value.fence;
    undo.push(holdPlaces(first.value.absent, [...readOnly, ...hidden]));
    const settled = first.value.absent.length === 0 ? first : settleFence(given);
    if (!settled.ok) return refuse(settled.error);
    if (settled.value.absent.length > 0) return refuse(`${settled.value.absent[0]} cannot be kept from being made`);
    const run = [bwrap, ...bwrapArgs(settled.value.fence), '--', program, ...args];
    const stdin = spec.stdinFile === undefined ? {} : { stdinFile: copyOf(spec.stdinFile, undo) };
    const fenced = { ...spec, run, env: { ...scratch, ...spec.env }, ...stdin };
    return ok({ spec: fenced, unheld: settled.value.unheld, release });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** The runner's own may name a folder that cannot be written inside. */
const scratch = { TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp' };

/** What a program is handed open it can open again for writing, over /proc/self/fd and past every fence. */
function copyOf(file: string, undo: (() => void)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'autoresearch-stdin-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'stdin');
  copyFileSync(file, copy);
  return copy;
}

/** A program is rarely alone: what was installed with it stands in the same folder of /tmp. */
function toolFolder(path: string): readonly string[] {
  const place = replaced.find((folder) => path !== folder && isBelow(path, folder));
  if (place === undefined || place === '/run') return [];
  const [name = ''] = path.slice(place.length + 1).split('/');
  return name === '' || dirname(join(place, name)) !== place ? [] : [join(place, name)];
}
