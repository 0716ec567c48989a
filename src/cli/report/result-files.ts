import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openPlain } from '../../adapters/disk/plain-file.js';
import type { Plan } from '../../model/plan.js';
import type { RunState } from '../../model/state/run-state.js';
import type { LostFile, ResultFile } from '../../report/history/run-facts.js';

/** Forms that a report can show something of. */
const shown = /\.(jsonl?|md)$/;
const mostBytes = 8 << 20;
const mostTotalBytes = 128 << 20;

/** What was read before, by path: a dashboard looks again and again. */
export type KnownFiles = Map<string, { readonly stamp: string; readonly file: ResultFile }>;

/** The results that a report can show something of, as they are now. What is too large is left out. */
export function resultFiles(
  root: string,
  state: RunState,
  { hide, known }: { readonly hide: (text: string) => string; readonly known?: KnownFiles },
): { readonly files: ReadonlyMap<string, ResultFile>; readonly lost: readonly LostFile[] } {
  const files = new Map<string, ResultFile>();
  const lost: LostFile[] = [];
  let left = mostTotalBytes;
  for (const { id, outputs = [], amended = [] } of state.tasks.values()) {
    for (const output of outputs) {
      // Whom the run knows has changed it by right.
      const { path, size, digest } = amended.find((one) => one.path === output.path) ?? output;
      if (!shown.test(path) || size > mostBytes || size > left) continue;
      const stamp = known && stampOf(resolve(root, path), digest);
      const before = known?.get(path);
      if (before && before.stamp === stamp) {
        files.set(path, before.file);
        continue;
      }
      const bytes = bytesOf(resolve(root, path));
      if (!bytes) {
        lost.push({ path, task: id, recorded: digest });
        continue;
      }
      left -= bytes.length;
      const now = createHash('sha256').update(bytes).digest('hex');
      const text = hide(bytes.toString('utf8'));
      const file = { path, task: id, text, digest: now, recorded: digest, isChanged: now !== digest };
      files.set(path, file);
      if (stamp !== undefined) known?.set(path, { stamp, file });
    }
  }
  return { files, lost };
}

/** Logs of tasks that are still at work, up to their last whole line. */
export function growingFiles(
  root: string,
  { state, plan }: { readonly state: RunState; readonly plan: Plan | undefined },
  hide: (text: string) => string,
): readonly ResultFile[] {
  return (plan?.tasks ?? []).flatMap(({ id, outputs }) => {
    if (state.tasks.get(id)?.status !== 'running') return [];
    return outputs.flatMap((path) => {
      const bytes = path.endsWith('.jsonl') ? bytesOf(resolve(root, path)) : undefined;
      if (!bytes) return [];
      const text = hide(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1).toString('utf8'));
      return [{ path, task: id, text, digest: '', isChanged: false }];
    });
  });
}

function stampOf(file: string, digest: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return `${digest} ${stats?.size} ${stats?.ctimeMs}`;
}

function bytesOf(file: string): Buffer | undefined {
  const fd = openPlain(file);
  if (fd === undefined) return undefined;
  try {
    return fstatSync(fd).size > mostBytes ? undefined : readFileSync(fd);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
