import { relative } from 'node:path';
import { FailureError } from '../../model/failure.js';
import { asCheckedOut, type CheckedOutRequest, cannotKeep, orCannotKeep } from '../git/as-checked-out.js';
import { filteredFiles } from '../git/filtered-files.js';
import type { Repository } from '../git/git-repository.js';
import type { Git } from '../git/git-run.js';
import { linksFromOutside } from '../git/own-links.js';
import { isAttributes } from '../git/stray-attributes.js';
import { stage } from '../worktree/worktree-commit.js';
import { changesIn, fileNames, type TreeChange, withFreshIndex } from '../worktree/worktree-files.js';
import { type Reach, reaches, submodulesIn } from './iteration-submodules.js';

type IsOurs = (file: string) => boolean;
export type KeptPlaces = Pick<CheckedOutRequest, 'scratch' | 'keep'>;

/** Files of the loop that differ from what is checked out are what their commit would give; answers with those that were not so. */
export async function filesAsKept({ repo, isOurs, ...places }: KeptPlaces & { repo: Repository; isOurs: IsOurs }) {
  return withFreshIndex(await repo.git(), 'HEAD', async (fresh) => {
    const changes = (await changesIn(fresh)).filter(({ how, path }) => how !== 'closed' && isOurs(path));
    refuseOwnLinks(repo.top, changes, isOurs);
    return asCheckedOut({ repo, fresh, changes, ...places, mayWrite: isOurs });
  });
}

/** By where the project is now, they lead to files of the loop; in a clone of what is kept they lead elsewhere. */
function refuseOwnLinks(top: string, changes: readonly TreeChange[], isOurs: IsOurs): void {
  const files = changes.filter(({ how }) => how !== 'removed').map(({ path }) => path);
  const links = linksFromOutside(top, files, (end) => isOurs(relative(top, end)));
  if (links[0])
    throw cannotKeep(
      links.map(({ file }) => file),
      `a link to ${links[0].target}, which leads elsewhere in any other checkout of what is kept`,
      'make it relative',
    );
}

export interface Unkeepable {
  /** What of it no commit can hold. */
  readonly kind: 'name' | 'content' | 'submodule' | 'filter';
  readonly path: string;
  /** As the disk spells it; need not be there. */
  readonly file: Buffer;
  /** That git would run on it. */
  readonly filter?: string;
}

/** Files of the loop whose name is no text, or whose content git refuses to take in, and commits of submodules that somebody has made. */
export async function unkeepableIn(repo: Repository, isOurs: IsOurs, reach: Reach): Promise<readonly Unkeepable[]> {
  return withFreshIndex(await repo.git(), 'HEAD', async (fresh) => {
    const own = (await changesIn(fresh)).filter(({ path }) => isOurs(path));
    const odd = own.filter(({ how, path }) => how === 'closed' && !path.endsWith('/'));
    const known = own.filter(({ how }) => how !== 'closed');
    const named = (kind: Unkeepable['kind']) => (change: TreeChange) => ({
      kind,
      path: change.path,
      file: Buffer.concat([Buffer.from(`${repo.top}/`), change.name]),
    });
    const linked = (await submodulesIn(fresh)).filter((path) => reaches(path, reach));
    const submodule = (path: string) =>
      ({ kind: 'submodule', path, file: Buffer.from(`${repo.top}/${path}`) }) as const;
    const files = known.filter(({ path }) => !linked.includes(path));
    const refused = await refusedIn(fresh, files);
    const filtered = await filteredOf(repo, fresh, files);
    return [...odd.map(named('name')), ...refused.map(named('content')), ...filtered, ...linked.map(submodule)];
  });
}

/** Once more when settings are what they were: who is measured can have changed them meanwhile. */
async function filteredOf(
  repo: Repository,
  staged: Git,
  changes: readonly TreeChange[],
): Promise<readonly Unkeepable[]> {
  if (changes.length === 0) return [];
  const filters = await repo.filters();
  if (filters.length === 0) return [];
  const isRule = changes.some(({ path }) => isAttributes(path));
  const files = isRule ? fileNames((await staged.run(['ls-files', '-z'])).stdout) : changes.map(({ path }) => path);
  const found = await filteredFiles(staged, filters, files);
  return found.map(({ file, filter }) => ({
    kind: 'filter',
    path: file,
    file: Buffer.from(`${repo.top}/${file}`),
    filter,
  }));
}

/** Git names one of them at a time. */
async function refusedIn(fresh: Git, changes: readonly TreeChange[]): Promise<readonly TreeChange[]> {
  const refused: TreeChange[] = [];
  for (;;) {
    const left = changes.filter((change) => !refused.includes(change));
    const named = await namedBy(() => stage(fresh, left));
    if (named.length === 0) return refused;
    const found = left.filter(({ path }) => named.includes(path));
    if (found.length === 0) throw new Error(`git refuses ${named.join(', ')}, which is not among the changes`);
    refused.push(...found);
  }
}

async function namedBy(act: () => Promise<void>): Promise<readonly string[]> {
  try {
    await orCannotKeep(act);
    return [];
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === 'cannot-keep') return error.failure.files;
    throw error;
  }
}
