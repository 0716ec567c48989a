import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { look } from '../../adapters/vault/vault-look.js';
import { vaultRules } from '../../adapters/vault/vault-rules.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { globPlace, globsMayMeet, isGlob, isWithin } from '../../model/glob.js';
import type { Plan } from '../../model/plan.js';
import { type Pointer, pointerOf } from '../../model/pointer.js';
import { nearest } from '../../source/did-you-mean.js';
import { type GlobMatch, loadGlobMatch } from '../../source/glob.js';
import type { Project } from './open-project.js';

/**
 * Entries of `protect` that match nothing: most likely misspelt, and then what they were meant for is not protected. What a stage makes may be
 * protected before it is there, and so may what a preset has in mind. A name wherever it may appear (`**\/conftest.py`) is one that must not.
 * `known`: patterns that an unfinished run goes by; what became of their files is judged there.
 */
export async function protectsNothing(project: Project, known: readonly string[] = []): Promise<readonly Diagnostic[]> {
  const { resolved, plan } = project;
  const { protect = [], stages, iterate } = resolved.config;
  const all: (readonly [string, Pointer])[] = [
    ...protect.map((pattern, index) => [pattern, pointerOf('protect', index)] as const),
    ...Object.entries(stages).flatMap(([name, stage]) =>
      (stage.protect ?? []).map((pattern, index) => [pattern, pointerOf('stages', name, 'protect', index)] as const),
    ),
  ];
  const match = await loadGlobMatch();
  const wanted = all.filter(
    ([pattern, pointer]) =>
      pattern !== iterate?.goal && !known.includes(pattern) && isOwn(pointer, project) && !isMade(pattern, plan, match),
  );
  const isThere = (pattern: string): boolean =>
    [...look(resolved.root, vaultRules(match, [pattern])).values()].some(
      ({ isGuarded, type }) => isGuarded && type !== 'absent',
    );
  const linked = all.flatMap(([pattern, pointer]) => {
    const link = known.includes(pattern) ? undefined : linkOnWay(pattern, resolved.root);
    return link === undefined ? [] : [{ pattern, pointer, link }];
  });
  const isLinked = (one: string): boolean => linked.some(({ pattern }) => pattern === one);
  const through = linked.map(({ pattern, pointer, link }) => ({
    code: 'AR514' as const,
    message: `protect: ${pattern} leads through ${link}, which is a symbolic link, and links are protected as links`,
    at: { kind: 'config' as const, pointer },
    hint: `Name the folder that it leads to, if that is in the project; to protect the link itself, write ${link}`,
  }));
  const nothing = wanted.flatMap(([pattern, pointer]) => {
    if (isLinked(pattern) || isThere(pattern)) return [];
    const near = nearTo(pattern, resolved.root);
    if (near === undefined && /^\*\*\//.test(pattern)) return [];
    return [
      {
        code: 'AR514',
        message: `protect: ${pattern} matches no file, and no stage makes one`,
        at: { kind: 'config', pointer },
        hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Correct the path (paths are relative to the config), or let the stage that makes it have it as an output; to keep a file from appearing anywhere, write **/NAME`,
      } satisfies Diagnostic,
    ];
  });
  return [...through, ...nothing];
}

/** Of what a pattern names without a wildcard, the first part that is a link and has something behind it. */
function linkOnWay(pattern: string, root: string): string | undefined {
  const clean = pattern.replace(/^(\.\/+)+/, '').replace(/\/+$/, '');
  const parts = globPlace(clean).split('/');
  const ways = parts
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .filter((way) => way !== '' && way !== clean);
  return ways.find((way) => lstatSync(join(root, way), { throwIfNoEntry: false })?.isSymbolicLink());
}

/** A preset may protect more than a study has. */
function isOwn(pointer: Pointer, { resolved }: Project): boolean {
  const layer = resolved.originOf(pointer)?.layer;
  return layer === undefined || layer.document.file === resolved.file || layer.name === '--set';
}

/** An output that is named may be a folder, or be matched itself; a glob may come to be anything. */
const isMade = (pattern: string, { tasks }: Plan, match: GlobMatch): boolean =>
  tasks.some(({ outputs, description, scope = [] }) =>
    [...outputs, ...(description.writes ?? []), ...scope].some((path) =>
      isGlob(path) ? globsMayMeet(pattern, path) : match(pattern, path) || isIn(globPlace(pattern), path),
    ),
  );

const isIn = (place: string, folder: string): boolean => place !== '' && isWithin(place, folder);

/** The path that is there and nearest to a misspelt one: where the way to it ends, or for a name anywhere in the project. */
function nearTo(pattern: string, root: string): string | undefined {
  const place = globPlace(pattern).replace(/^(\.\/)+/, '');
  const rest = pattern.slice(globPlace(pattern).length);
  const parts = place.split('/').filter((part) => part !== '');
  for (const [index, part] of parts.entries()) {
    const above = parts.slice(0, index).join('/');
    const names = namesIn(join(root, above));
    if (names.includes(part)) continue;
    const near = nearest(part, names);
    return near === undefined
      ? undefined
      : `${[...parts.slice(0, index), near, ...parts.slice(index + 1)].join('/')}${rest}`;
  }
  const name = pattern.split('/').at(-1) ?? '';
  if (isGlob(name) || !isGlob(pattern)) return undefined;
  const near = nearest(name, namesBelow(join(root, place)));
  return near === undefined ? undefined : `${pattern.slice(0, pattern.length - name.length)}${near}`;
}

/** As many as a person could have meant. */
function namesBelow(folder: string): readonly string[] {
  const names = new Set<string>();
  const open = [folder];
  for (let next = open.pop(); next !== undefined && names.size < mostNames; next = open.pop())
    for (const name of namesIn(next)) {
      if (name === 'node_modules' || name.startsWith('.')) continue;
      names.add(name);
      if (lstatSync(join(next, name), { throwIfNoEntry: false })?.isDirectory()) open.push(join(next, name));
    }
  return [...names];
}

const mostNames = 5000;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
