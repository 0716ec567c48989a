import { isUtf8 } from 'node:buffer';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Names on a disk are bytes. One that is no UTF-8 becomes text with each odd byte as a lone surrogate (U+DC80…U+DCFF),
 * which no real name holds, so that it can stand in JSON and still be found again.
 */
export const textOf = (name: Buffer): string =>
  isUtf8(name) ? name.toString() : name.toString('latin1').replace(/[\x80-\xff]/g, lone);

/** What Node's file functions take: text where that says it all, bytes where it does not. */
export function diskName(text: string): string | Buffer {
  if (!/[\udc80-\udcff]/.test(text)) return text;
  const parts = [...text].map((char) => (isLone(char) ? Buffer.of(char.charCodeAt(0) - 0xdc00) : Buffer.from(char)));
  return Buffer.concat(parts);
}

/** The same in words that a terminal and a line of a log can take. */
export const printable = (path: string): string =>
  /[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff"\\]/.test(path) ? JSON.stringify(path) : path;

export const parentOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

/** Every folder on the way to a path, the topmost first. */
export function ancestorsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Where a path really is, also when the end of it does not exist yet. */
export const realFuture = (path: string): string =>
  existsSync(path) || dirname(path) === path ? realpathSync(path) : join(realFuture(dirname(path)), basename(path));

const lone = (byte: string): string => String.fromCharCode(0xdc00 + byte.charCodeAt(0));
const isLone = (char: string): boolean => char.length === 1 && char >= '\udc80' && char <= '\udcff';
