import { readdirSync, statSync } from 'node:fs';
import type { Kept } from './vault-kept.js';
import { inRoot, targetOf } from './vault-look.js';
import { diskName, textOf } from './vault-path.js';
import { isGuarded, type VaultRules } from './vault-rules.js';

/**
 * Links that were not there, or led elsewhere, and through which a guarded name can be found: whoever may not make a file of that name must not
 * bring a folder that has one. What was there before is not looked into: what it leads to may be anybody's.
 */
export function leadingInside(kept: Kept, links: Iterable<string>, rules: VaultRules): readonly string[] {
  let left = mostLinks;
  return [...links].sort().filter((path) => {
    if (left === 0 || isAsBefore(kept, path)) return false;
    left -= 1;
    return leadsToGuarded(kept.root, path, rules);
  });
}

const mostLinks = 200;
const mostNames = 2000;
const mostDeep = 4;

function isAsBefore({ root, links }: Kept, path: string): boolean {
  try {
    return links!.get(path) === targetOf(inRoot(root, path));
  } catch {
    // Gone in between.
    return true;
  }
}

/** Level by level, so that what lies near is found however much lies deeper. */
function leadsToGuarded(root: string, link: string, rules: VaultRules): boolean {
  let names = 0;
  let level = [link];
  for (let depth = 0; depth < mostDeep && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level)
      for (const name of namesIn(`${root}/${folder}`)) {
        names += 1;
        if (names > mostNames) return false;
        const path = `${folder}/${name}`;
        if (rules.isLeftOut(path)) continue;
        if (isGuarded(rules, path)) return true;
        if (isFolder(`${root}/${path}`)) next.push(path);
      }
    level = next;
  }
  return false;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(diskName(folder), { encoding: 'buffer' }).map(textOf).sort();
  } catch {
    // No folder, or none that anybody can look into.
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(diskName(path)).isDirectory();
  } catch {
    return false;
  }
}
