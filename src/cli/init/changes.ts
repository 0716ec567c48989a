import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../../model/diagnostic.js';
import { err, ok, type Result } from '../../model/result.js';
import { agentsHeading, agentsSection, ignoredLines, workflow } from './around.js';
import type { StudyChoice } from './study-choice.js';

/** What is to be done to one file; `file` is absolute. */
export type Change =
  | { readonly kind: 'write'; readonly file: string; readonly content: string }
  /** Added at the end, each told of by itself; `told` stands for all of them. */
  | { readonly kind: 'add'; readonly file: string; readonly lines: readonly string[]; readonly told?: string }
  | { readonly kind: 'keep'; readonly file: string; readonly why: string };

/** Everything that would be done, found out before anything is: a study that could only be written in part is not begun. */
export function changesFor(dir: string, study: StudyChoice): Result<readonly Change[], readonly Diagnostic[]> {
  const files = study.files.map(({ path, content }) => ({ file: join(dir, path), path, content }));
  const inTheWay = files.filter(({ file, path }) => path !== 'README.md' && isThere(file));
  if (inTheWay.length > 0) return err(inTheWay.map(({ path }) => taken(path)));
  const own = files.map(
    ({ file, content }): Change =>
      isThere(file) ? { kind: 'keep', file, why: 'it is there already' } : { kind: 'write', file, content },
  );
  return ok([...own, ignored(dir, study), agents(dir, study), ...githubStep(dir, study)]);
}

const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

function ignored(dir: string, { hasExample }: StudyChoice): Change {
  const file = join(dir, '.gitignore');
  const wanted = ignoredLines(hasExample);
  return missingIn(file, dir, (known) => {
    const bare = new Set(known.split(/\r?\n/).map(withoutSlashes));
    return { lines: wanted.filter((line) => !bare.has(withoutSlashes(line))), all: `${wanted.join('\n')}\n` };
  });
}

/** `/logs`, `logs/` and `logs` all keep the folder out. */
const withoutSlashes = (line: string): string => line.trim().replace(/^\/|\/\**$/g, '');

function agents(dir: string, { config }: StudyChoice): Change {
  const file = join(dir, 'AGENTS.md');
  const section = agentsSection(config);
  return missingIn(file, dir, (known) => ({
    lines: known.split(/\r?\n/).some((line) => line.trim() === agentsHeading)
      ? []
      : ['', ...section.trimEnd().split('\n')],
    told: `the section "${agentsHeading.slice(3)}"`,
    all: `# For agents\n\n${section}`,
  }));
}

interface Missing {
  readonly lines: readonly string[];
  readonly told?: string;
  /** The whole file where there is none. */
  readonly all: string;
}

function missingIn(file: string, dir: string, look: (known: string) => Missing): Change {
  if (!isThere(file)) return { kind: 'write', file, content: look('').all };
  const why = whyNotOurs(file, dir);
  if (why !== undefined) return { kind: 'keep', file, why };
  const { lines, told } = look(readFileSync(file, 'utf8'));
  if (lines.length === 0) return { kind: 'keep', file, why: 'it has all that is needed' };
  return { kind: 'add', file, lines, ...(told === undefined ? {} : { told }) };
}

/** A link may lead to a file that others share. */
function whyNotOurs(file: string, dir: string): string | undefined {
  if (!existsSync(file)) return 'it is a link that leads nowhere';
  if (!statSync(file).isFile()) return 'it is no file';
  const real = realpathSync(file);
  return real.startsWith(`${realpathSync(dir)}${sep}`) ? undefined : `it is a link to ${real}, outside of this folder`;
}

/** Beside the other workflows of the repository, wherever in it the study lies. */
function githubStep(dir: string, { hasExample }: StudyChoice): readonly Change[] {
  const root = repositoryOf(dir) ?? dir;
  const folder = relative(root, dir).split(sep).join('/');
  const place = join(root, '.github', 'workflows');
  const name = folder === '' ? 'autoresearch.yml' : `autoresearch-${folder.replace(/[^\w-]+/g, '-')}.yml`;
  const file = join(place, name);
  const other = workflowsIn(place).find((one) => runsPlan(one, folder));
  if (other !== undefined) return [{ kind: 'keep', file: other, why: 'it runs autoresearch already' }];
  if (isThere(file)) return [{ kind: 'keep', file, why: 'it is there already' }];
  return [{ kind: 'write', file, content: workflow({ folder, canRun: hasExample }) }];
}

function repositoryOf(dir: string): string | undefined {
  for (let folder = dir; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

const workflowsIn = (place: string): readonly string[] =>
  statSync(place, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(place).flatMap((name) => (/\.ya?ml$/.test(name) ? [resolve(place, name)] : []))
    : [];

function runsPlan(file: string, folder: string): boolean {
  const text = statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : '';
  return /\bautoresearch plan\b/.test(text) && (folder === '' || text.includes(folder));
}

const taken = (path: string): Diagnostic => ({
  code: 'AR604',
  message: `${path} is there already`,
  at: { kind: 'argument', argument: path },
  hint: 'Nothing was written; choose another folder, or move the file away',
});
