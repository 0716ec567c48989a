import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../model/ports.js';
import { ToolRefusal } from './call-end.js';

export interface SearchedFile {
  readonly path: string;
  readonly text: string;
}

export interface LineFound {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export type RegexSearch = (
  pattern: string,
  files: readonly SearchedFile[],
  signal: AbortSignal,
) => Promise<readonly LineFound[]>;

export const mostFound = 100;

export function findLines(files: readonly SearchedFile[], matches: (line: string) => boolean): LineFound[] {
  const found: LineFound[] = [];
  for (const { path, text } of files) {
    let line = 0;
    for (const one of text.split('\n')) {
      line += 1;
      if (!matches(one)) continue;
      found.push({ path, line, text: one.slice(0, mostShown) });
      if (found.length >= mostFound) return found;
    }
  }
  return found;
}

/**
 * A regular expression of the model's can take longer than the age of the world on one line, and nothing stops it in the
 * thread where it runs. So it runs in one of its own, which is ended when its time is up.
 */
export const regexSearchWith =
  (clock: Clock): RegexSearch =>
  (pattern, files, signal) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(workerSource, {
        eval: true,
        env: {},
        workerData: { pattern, files, mostFound, mostShown },
        resourceLimits: { maxOldGenerationSizeMb: 256 },
      });
      const end = (settle: () => void): void => {
        cancel();
        signal.removeEventListener('abort', onAbort);
        void worker.terminate();
        settle();
      };
      const onAbort = (): void => end(() => resolve([]));
      const cancel = clock.after(longestMs, () =>
        end(() => reject(new ToolRefusal(`the search took longer than ${longestMs / 1000} s; use a simpler pattern`))),
      );
      signal.addEventListener('abort', onAbort);
      worker.once('message', ({ found, wrong }: { found?: LineFound[]; wrong?: string }) =>
        end(() => (found ? resolve(found) : reject(new ToolRefusal(wrong ?? 'the search failed')))),
      );
      // Out of memory, most likely; after a message this comes too late to matter.
      const failed = (): void => end(() => reject(new ToolRefusal('the search failed; use a simpler pattern')));
      worker.once('error', failed);
      worker.once('exit', failed);
      if (signal.aborted) onAbort();
    });

const longestMs = 2000;
const mostShown = 400;

/** Text, because the program is bundled into files among which a worker could not find its own. */
const workerSource = `
const { parentPort, workerData: { pattern, files, mostFound, mostShown } } = require('node:worker_threads');
const search = () => {
  let expression;
  try { expression = new RegExp(pattern); } catch (error) { return { wrong: String(error.message).slice(0, 300) }; }
  const found = [];
  for (const { path, text } of files) {
    let line = 0;
    for (const one of text.split('\\n')) {
      line += 1;
      if (!expression.test(one)) continue;
      found.push({ path, line, text: one.slice(0, mostShown) });
      if (found.length >= mostFound) return { found };
    }
  }
  return { found };
};
parentPort.postMessage(search());
`;
