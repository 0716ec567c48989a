import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../../model/json.js';
import { makeFolders } from '../../disk/make-folders.js';
import { CallEnd } from './call-end.js';
import { type Entry, type Form, isHistory } from './history.js';

/** A conversation as it lies on the disk. */
export interface StoredSession {
  readonly form: Form;
  readonly history: readonly Entry[];
}

export const newSessionId = (): string => randomUUID();

/** Goes on with a session of an earlier call or process. What cannot be read is lost: half a memory is worse than none. */
export function loadSession(dir: string, id: string): StoredSession {
  if (!sessionId.test(id)) throw new CallEnd('session-lost', 'the id of the session is not one of ours');
  const value = parsed(contentOf(fileOf(dir, id)));
  if (!isJsonObject(value) || value.version !== version || !isHistory(value.history) || !isForm(value.form))
    throw new CallEnd('session-lost', `session ${id} cannot be read`);
  return { form: value.form, history: value.history };
}

/** What agents have read and written is nobody else's business: only the owner may look. */
export function saveSession(dir: string, id: string, session: StoredSession): void {
  makeFolders(dir);
  const temporary = join(dir, `.${id}.${process.pid}.${randomUUID().slice(0, 8)}.tmp`);
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeSync(fd, `${JSON.stringify({ version, ...session })}\n`);
    fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, fileOf(dir, id));
}

const version = 1;
const sessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const mostBytes = 64 << 20;

const fileOf = (dir: string, id: string): string => join(dir, `${id}.json`);

const isForm = (value: unknown): value is Form => value === 'native' || value === 'text';

/** Undefined for everything that is not a file of sensible size: opening a pipe would wait for ever. */
function contentOf(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= mostBytes ? readFileSync(fd, 'utf8') : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
