import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ProtectionRecorded } from '../../model/events/protection-event.js';
import { literally } from '../../model/glob.js';
import { loadGlobMatch } from '../../source/glob.js';
import { ownLogs } from '../kept/own-logs.js';
import { compare } from './vault-compare.js';
import { readPlainFile } from './vault-file.js';
import { type Kept, loadKept } from './vault-kept.js';
import { inRoot, look, targetOf } from './vault-look.js';
import { vaultRules } from './vault-rules.js';

type Protection = Pick<ProtectionRecorded, 'digest' | 'patterns' | 'content'>;

/** Whether the protected part is as it was. Without a vault on this machine only the whole can be compared. */
export type ProtectionLook =
  | { readonly how: 'vault'; readonly changed: readonly string[] }
  | { readonly how: 'content'; readonly isSame: boolean }
  | { readonly how: 'unknown'; readonly why: string };

/** Looks, reads every byte, and changes nothing, not even in the vault. */
export async function lookAtProtected(
  places: { readonly root: string; readonly dir: string },
  protection: Protection,
): Promise<ProtectionLook> {
  const root = realpathSync(places.root);
  const match = await loadGlobMatch();
  const kept = keptIn(places.dir, protection.digest);
  if (kept?.root === root) {
    const rules = vaultRules(match, kept.patterns, { leaveOut: [...kept.leaveOut, ...ownLogs(root).map(literally)] });
    const changes = compare(kept, { rules, known: new Map(), thorough: true });
    return { how: 'vault', changed: changes.map(({ path }) => path) };
  }
  if (protection.content === undefined) return { how: 'unknown', why: 'the vault is gone, or is on another machine' };
  try {
    const rules = vaultRules(match, protection.patterns);
    const seen = [...look(root, rules)].map(([path, { type, isGuarded }]): ContentEntry => {
      if (type === 'link') return [path, { type, isGuarded, target: targetOf(inRoot(root, path)) }];
      if (type !== 'file' || !isGuarded) return [path, { type, isGuarded }];
      return [path, { type, isGuarded, digest: readPlainFile(inRoot(root, path)).digest }];
    });
    return { how: 'content', isSame: contentDigest(seen) === protection.content };
  } catch (error) {
    return { how: 'unknown', why: (error as Error).message };
  }
}

type ContentEntry = readonly [
  string,
  { readonly type: string; readonly isGuarded: boolean; readonly digest?: string; readonly target?: string },
];

/** What is the same wherever the project is checked out: names, contents and links, without times, owners and modes. */
export function contentDigest(entries: Iterable<ContentEntry>): string {
  const told = [...entries]
    .filter(([, { type, isGuarded }]) => type === 'link' || (isGuarded && type !== 'absent' && type !== 'folder'))
    .map(([path, { type, digest, target }]) => [path, type, digest ?? target ?? ''])
    .sort(([a], [b]) => (a! < b! ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(told)).digest('hex');
}

function keptIn(dir: string, digest: string): Kept | undefined {
  try {
    const pieces: Buffer[] = [];
    readPlainFile(
      join(dir, 'copies', digest),
      (piece) => pieces.push(Buffer.from(piece)),
      () => pieces.splice(0),
    );
    return loadKept(Buffer.concat(pieces).toString(), digest);
  } catch {
    // Gone, somebody else's machine, or tampered with: the journal has the last word then.
    return undefined;
  }
}
