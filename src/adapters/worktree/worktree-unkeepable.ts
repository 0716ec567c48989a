import { isWithin } from '../../model/glob.js';
import { cannotKeep } from '../git/as-checked-out.js';
import { linksFromOutside } from '../git/own-links.js';
import { strayAttributes } from '../git/stray-attributes.js';
import { asBytes } from './worktree-away.js';
import type { TreeChange } from './worktree-files.js';

interface Written {
  readonly path: string;
  /** Where all worktrees are. */
  readonly dir: string;
  readonly take: readonly TreeChange[];
  /** Spelt in bytes. */
  readonly kept: ReadonlySet<string>;
}

/** What works here and cannot work anywhere else. Nothing has been touched when this throws. */
export function refuseUnkeepable({ path, dir, take, kept }: Written): void {
  const files = take.filter(({ how }) => how !== 'removed').map((change) => change.path);
  const links = linksFromOutside(path, files, (end) => isWithin(end, dir));
  if (links[0])
    throw cannotKeep(
      links.map(({ file }) => file),
      `a link to ${links[0].target}, which is in a worktree, and gone once the work is merged`,
      'make it relative',
    );
  const stray = strayAttributes(path, files, (file) => kept.has(asBytes(file)));
  if (stray.length > 0) throw cannotKeep(stray, strayWords, 'commit it with the rest, or take it away');
}

export const strayWords = 'it says what git makes of the files beside and below it, and is in no commit itself';
