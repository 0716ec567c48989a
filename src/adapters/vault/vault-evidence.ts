import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { readPlainFile } from './vault-file.js';
import { inRoot, targetOf, typeOf } from './vault-look.js';
import { ancestorsOf, diskName, realFuture, textOf } from './vault-path.js';
import { isGuarded, type VaultRules } from './vault-rules.js';

/** A folder of its own for each time: what was found before stays as it was found. */
export function evidenceFolder(wanted: string, root: string, rules: VaultRules): string {
  if (!isAbsolute(wanted)) throw new Error(`the folder for evidence must be absolute, and '${wanted}' is not`);
  const clean = resolve(wanted);
  for (const one of [clean, realFuture(clean)])
    if (`${one}/`.startsWith(`${root}/`)) refuseInside(one.slice(root.length + 1), root, rules);
  let folder = clean;
  for (let turn = 2; existsSync(folder) && !isEmptyFolder(folder); turn += 1) folder = `${clean}-${turn}`;
  return folder;
}

/** Moves whatever stands at a path below the root into the folder, under the same name. Nothing there: nothing done. */
export function moveAway(path: string, root: string, folder: string): string | undefined {
  const from = inRoot(root, path);
  const stats = lstatSync(from, { bigint: true, throwIfNoEntry: false });
  if (!stats) return undefined;
  const to = `${folder}/${path}`;
  mkdirSync(diskName(to.slice(0, to.lastIndexOf('/'))), { recursive: true, mode: 0o700 });
  if (lstatSync(diskName(to), { throwIfNoEntry: false })) throw new Error(`${to} is there already`);
  if (stats.isDirectory()) chmodSync(from, Number(stats.mode & 0o7777n) | 0o700);
  try {
    // Another name of the same file would let its writer change the evidence.
    if (stats.isFile() && stats.nlink > 1n) copy(from, to);
    else {
      renameSync(from, diskName(to));
      return to;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copy(from, to);
  }
  rmSync(from, { recursive: true, force: true });
  return to;
}

/** Evidence may be kept in the project, but not where it would itself be guarded, nor behind somebody's link. */
function refuseInside(path: string, root: string, rules: VaultRules): void {
  const way = [...ancestorsOf(`${path}/x`)];
  if (path === '' || isGuarded(rules, path)) throw new Error('evidence cannot be kept in what is protected');
  for (const one of way) {
    const type = typeOf(lstatSync(inRoot(root, one), { bigint: true, throwIfNoEntry: false }));
    if (type !== 'folder' && type !== 'absent') throw new Error(`evidence cannot be kept there: ${one} is a ${type}`);
  }
}

const isEmptyFolder = (folder: string): boolean => lstatSync(folder).isDirectory() && readdirSync(folder).length === 0;

/** A file that pretends to be larger than any disk must not fill this one. */
const mostCopied = 1n << 30n;

/** Onto another disk, links as links. Of what cannot be copied a line says what it was. */
function copy(from: string | Buffer, to: string): void {
  const stats = lstatSync(from, { bigint: true });
  const type = typeOf(stats);
  if (type === 'link') symlinkSync(diskName(targetOf(from)), diskName(to));
  else if (type === 'file' && stats.size > mostCopied)
    writeFileSync(diskName(to), `(here stood a file of ${stats.size} bytes)\n`, { mode: 0o600, flag: 'wx' });
  else if (type === 'file') copyReadably(from, to, Number(stats.mode & 0o7777n));
  else if (type === 'folder') {
    mkdirSync(diskName(to), { mode: 0o700 });
    chmodSync(from, Number(stats.mode & 0o7777n) | 0o700);
    const base = Buffer.isBuffer(from) ? from : Buffer.from(from);
    for (const name of readdirSync(from, { encoding: 'buffer' }))
      copy(Buffer.concat([base, Buffer.from('/'), name]), `${to}/${textOf(name)}`);
  } else writeFileSync(diskName(to), `(here stood a ${type})\n`, { mode: 0o600, flag: 'wx' });
}

/** The mode is borrowed and given back: a file's other names, elsewhere, have it too. */
function copyReadably(from: string | Buffer, to: string, mode: number): void {
  try {
    accessSync(from, constants.R_OK);
    copyFile(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    chmodSync(from, mode | 0o400);
    try {
      copyFile(from, to);
    } finally {
      chmodSync(from, mode);
    }
  }
}

function copyFile(from: string | Buffer, to: string): void {
  const fd = openSync(diskName(to), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  let at = 0;
  try {
    readPlainFile(
      from,
      (piece) => {
        at += writeSync(fd, piece, 0, piece.length, at);
      },
      () => {
        at = 0;
      },
    );
  } finally {
    closeSync(fd);
  }
}
