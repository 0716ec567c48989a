import { statSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { shellQuote } from '../source/shell-quote.js';

export interface Started {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that the person is in. */
  readonly cwd: string;
  /** The file that Node was started with. */
  readonly script: string;
}

/**
 * What a person has to type here to start this program once more. Messages say `autoresearch`; beside a study that is often
 * on no PATH, and only npx finds it. Looks at a few names of files, and starts nothing.
 */
export function ownCommand({ env, cwd, script }: Started): string {
  const byNpm = env.npm_command !== undefined;
  const isNear = isBesideStudy(cwd, script);
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !(byNpm && isOfNpm(folder)));
  if (isNear && byNpm) return 'npx autoresearch';
  if (folders.some((folder) => isFile(join(folder, name)))) return name;
  if (isNear) return 'npx autoresearch';
  if (byNpm) return `npx ${fetched(env)}autoresearch`;
  return `node ${shellQuote(nearest(cwd, script))}`;
}

const name = 'autoresearch';

/** npm puts these in front for what it starts; the person's shell does not have them. */
const isOfNpm = (folder: string): boolean => /[\\/]node_modules[\\/]\.bin$/.test(folder);

/** npx finds what is installed here or above, and the bin of the package that it stands in. */
function isBesideStudy(cwd: string, script: string): boolean {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (isFile(join(folder, 'node_modules', '.bin', name)) || script === join(folder, 'dist', 'bin.cjs')) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** What npx brought along for this call, by `--package`, it has to bring along for the next one. */
const fetched = ({ npm_config_package: from = '' }: NodeJS.ProcessEnv): string =>
  from === '' ? '' : `--package ${shellQuote(from)} `;

const nearest = (cwd: string, script: string): string => {
  const near = relative(cwd, script);
  return near.startsWith('..') ? script : near;
};

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
