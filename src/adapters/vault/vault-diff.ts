import { isUtf8 } from 'node:buffer';
import { lstatSync } from 'node:fs';
import type { VaultChange } from './vault-compare.js';
import { fewBytes, readPlainFile } from './vault-file.js';
import { type Kept, modeOf } from './vault-kept.js';
import { inRoot, targetOf, typeOf } from './vault-look.js';
import { printable } from './vault-path.js';
import type { VaultStore } from './vault-store.js';

interface Telling {
  readonly store: VaultStore;
  readonly most?: number;
}

/** What was done to the protected part, to be read by people: a header for each path, then lines with - and +. */
export function diffText(kept: Kept, changes: readonly VaultChange[], { store, most = 20_000 }: Telling): string {
  let text = '';
  for (const [index, change] of changes.entries()) {
    const told = [`${change.how} ${printable(change.path)}`, ...bodyOf(change, kept, store)].join('\n');
    if (text.length + told.length + 1 > most) {
      const rest = `\n… cut here; ${changes.length - index - 1} more\n`;
      return text + told.slice(0, Math.max(most - text.length - rest.length, 0)) + rest;
    }
    text += `${told}\n`;
  }
  return text;
}

type Side = { readonly lines: readonly string[] } | { readonly word: string };

function bodyOf({ path }: VaultChange, kept: Kept, store: VaultStore): readonly string[] {
  const [before, after] = [sideBefore(path, kept, store), sideNow(path, kept.root)];
  if ('lines' in before && 'lines' in after) return lineDiff(before.lines, after.lines);
  if ('lines' in before) return [`  now: ${wordOf(after)}`, ...before.lines.map((line) => `-${line}`)];
  if ('lines' in after) return [`  before: ${wordOf(before)}`, ...after.lines.map((line) => `+${line}`)];
  return [`  ${before.word} → ${after.word}`];
}

const wordOf = (side: Side): string => ('word' in side ? side.word : 'text');

function sideBefore(path: string, kept: Kept, store: VaultStore): Side {
  const old = kept.entries.get(path);
  if (!old || old.type === 'absent') return { word: 'not there' };
  if (old.type === 'link') return { word: `link to ${printable(old.target ?? '')}` };
  if (old.type !== 'file') return { word: `${old.type}, mode ${octal(old.mode)}` };
  if (old.size > fewBytes) return { word: `file of ${old.size} bytes` };
  if (old.isUncopied || old.blob) return { word: `file of ${old.size} bytes` };
  const bytes = store.bytesOf(old.digest ?? '');
  return bytes ? sideOf(bytes, old.mode) : { word: 'file whose copy in the vault is gone or was tampered with' };
}

function sideNow(path: string, root: string): Side {
  try {
    const stats = lstatSync(inRoot(root, path), { bigint: true, throwIfNoEntry: false });
    const type = typeOf(stats);
    if (!stats) return { word: 'not there' };
    if (type === 'link') return { word: `link to ${printable(targetOf(inRoot(root, path)))}` };
    if (type !== 'file') return { word: `${type}, mode ${octal(modeOf(stats))}` };
    if (stats.size > fewBytes) return { word: `file of ${stats.size} bytes` };
    return sideOf(readPlainFile(inRoot(root, path)).bytes ?? Buffer.alloc(0), modeOf(stats));
  } catch (error) {
    return { word: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'it is no plain file'})` };
  }
}

function sideOf(bytes: Buffer, mode: number): Side {
  if (!isUtf8(bytes) || bytes.includes(0)) return { word: `binary, ${bytes.length} bytes` };
  const lines = bytes.toString().split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push('\\ no line break at the end');
  return { lines: [`(mode ${octal(mode)})`, ...lines.map(harmless)] };
}

const octal = (mode: number): string => mode.toString(8).padStart(3, '0');

/** An agent's text must not be able to speak to the terminal, or hide in it. */
const harmless = (line: string): string =>
  line.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** What is the same at both ends is cut off, but for three lines; the middle is compared line by line where it is small. */
function lineDiff(before: readonly string[], after: readonly string[]): readonly string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const context = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    `@@ line ${start} @@`,
    ...context(before.slice(Math.max(start - 3, 0), start)),
    ...middle(old, fresh),
    ...context(before.slice(before.length - end, before.length - end + 3)),
  ];
}

function middle(old: readonly string[], fresh: readonly string[]): readonly string[] {
  if (old.length * fresh.length > 1_000_000) return [...old.map((l) => `-${l}`), ...fresh.map((l) => `+${l}`)];
  // longest[i][j]: lines in common from there on.
  const longest = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1)
      longest[i]![j] =
        old[i] === fresh[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push(` ${old[i]}`);
      i += 1;
      j += 1;
    } else if (j >= fresh.length || (i < old.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push(`-${old[i]}`);
      i += 1;
    } else {
      lines.push(`+${fresh[j]}`);
      j += 1;
    }
  }
  return lines;
}
