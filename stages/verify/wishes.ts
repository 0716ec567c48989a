import { type ArtifactWish, artifactWish, type KeyLink, type StageContext } from 'autoresearch';
import type { CommandWish, CommitWish, LinkWish, VerifyOptions } from './options.js';

/** All that has to be true, from the config and from task files, as one list of each kind. */
export interface Wishes {
  /** Statements that only a reader can judge. */
  readonly prose: readonly string[];
  readonly commands: readonly (CommandWish & { readonly truth?: string })[];
  readonly artifacts: readonly ArtifactWish[];
  readonly links: readonly LinkWish[];
  readonly commits: readonly CommitWish[];
}

export const countOf = ({ prose, commands, artifacts, links, commits }: Wishes): number =>
  prose.length + commands.length + artifacts.length + links.length + commits.length;

/** What the config itself says. */
export function inlineWishes({ must_haves: given = {} }: VerifyOptions): Wishes {
  const truths = given.truths ?? [];
  return {
    prose: truths.filter((truth) => typeof truth === 'string'),
    commands: [...truths.filter((truth) => typeof truth !== 'string'), ...(given.commands ?? [])],
    artifacts: (given.artifacts ?? []).map((artifact) => {
      if (typeof artifact === 'string') return { path: artifact, contains: [], exports: [] };
      const { path, provides, contains = [], exports = [], min_lines, min_bytes } = artifact;
      return {
        path,
        contains: typeof contains === 'string' ? [contains] : contains,
        exports,
        ...(provides === undefined ? {} : { provides }),
        ...(min_lines === undefined ? {} : { minLines: min_lines }),
        ...(min_bytes === undefined ? {} : { minBytes: min_bytes }),
      };
    }),
    links: given.key_links ?? [],
    commits: given.commits ?? [],
  };
}

/** Words when a task file cannot be used: what it would have asked for is not known, so nothing is verified. */
export async function allWishes(options: VerifyOptions, context: StageContext): Promise<Wishes | string> {
  let wishes = inlineWishes(options);
  for (const pattern of options.from ?? [])
    if (filesIn(pattern, context).length === 0) return `nothing fits ${pattern}`;
  for (const path of new Set((options.from ?? []).flatMap((pattern) => filesIn(pattern, context)))) {
    const read = await context.readMustHaves(path);
    if (!read.ok) return `${path} cannot be used: ${read.problems.slice(0, 3).join('; ')}`;
    const { truths, artifacts, keyLinks } = read.mustHaves;
    if (truths.length + artifacts.length + keyLinks.length === 0) return `${path} names no must_haves`;
    wishes = {
      ...wishes,
      prose: [...wishes.prose, ...truths],
      artifacts: [...wishes.artifacts, ...artifacts.map(artifactWish)],
      links: [...wishes.links, ...keyLinks.map((link: KeyLink) => ({ ...link }))],
    };
  }
  return countOf(wishes) === 0 ? 'there are no must_haves, so nothing could be verified' : wishes;
}

/** A path that was written out is read also when it is not there, so that somebody says so. */
const filesIn = (pattern: string, context: StageContext): readonly string[] =>
  /[*?[{]/.test(pattern) ? context.listFiles([pattern]) : [pattern];
