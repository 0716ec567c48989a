import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setAside, writeFiles } from './work.mjs';

export const bin = resolve(import.meta.dirname, '../../dist/bin.cjs');

/** A folder with a config of ours, and how to start from nothing in it. `results` is what tasks write. */
export function project(name, files, results = []) {
  const cwd = writeFiles(name, files);
  const reset = () => {
    for (const left of ['.autoresearch', 'logs', ...results]) setAside(join(cwd, left));
  };
  return { cwd, reset, run: (...args) => [process.execPath, bin, ...args] };
}

/** The journal has to say that this many tasks were done. */
export const didAll = (cwd, count) => () => {
  const runs = join(cwd, '.autoresearch/default/runs');
  if (!existsSync(runs)) return 'there is no journal';
  const journals = readdirSync(runs).map((run) => readFileSync(join(runs, run, 'journal.jsonl'), 'utf8'));
  const done = journals.join('').split('"task-finished"').length - 1;
  return done === count ? undefined : `${done} of ${count} tasks were done`;
};

export const exec = ['exec', '--new', '--reporter', 'silent'];
