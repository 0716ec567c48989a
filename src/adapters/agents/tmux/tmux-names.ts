import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FailureError } from '../../../model/failure.js';
import { quoteWord } from '../../command/quote-word.js';

/** In the environment of everything that was started in a session; the socket tells projects apart. */
export const sessionMarker = 'AUTORESEARCH_TMUX';

export const markerFor = (socket: string, name: string): string => `${socket}:${name}`;

/**
 * The project's own socket, so that nothing mixes with the user's sessions. The system's addresses hold about 100 bytes;
 * where the state folder's path is too long, a folder that only this user can enter takes its place.
 */
export function tmuxSocket(stateDir: string): string {
  const socket = socketPath(stateDir);
  const folder = dirname(socket);
  if (folder === stateDir) return socket;
  const uid = process.getuid?.() ?? 0;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Anybody can make such a folder in /tmp first, and whoever owns it could put a socket of his own there.
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0)
    throw new FailureError({
      code: 'not-writable',
      file: folder,
      detail: 'it is not a folder that belongs to this user alone',
    });
  return socket;
}

/** Where it is, or would be. */
export function socketPath(stateDir: string): string {
  const near = join(stateDir, 'tmux.sock');
  if (Buffer.byteLength(near) <= longestSocket) return near;
  const uid = process.getuid?.() ?? 0;
  const file = `${digest(stateDir)}.sock`;
  const own = join(tmpdir(), `autoresearch-${uid}`);
  const folder = Buffer.byteLength(join(own, file)) <= longestSocket ? own : `/tmp/autoresearch-${uid}`;
  return join(folder, file);
}

/** `STUDY-AGENT`. What tmux would read as something else is replaced, and then a digest keeps two names apart. */
export function sessionName(prefix: string, agent: string): string {
  const wanted = `${prefix}-${agent}`;
  const name = wanted.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
  return name === wanted ? name : `${name}-${digest(JSON.stringify([prefix, agent])).slice(0, 8)}`;
}

/** What a person types to look on, or to take over. */
export const attachCommand = (socket: string, name: string): string =>
  `tmux -S ${quoteWord(socket)} attach -t ${quoteWord(name)}`;

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

const longestSocket = 90;
const longestName = 120;
