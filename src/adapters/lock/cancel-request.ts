import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskError } from '../disk/disk-error.js';

/** A file beside the lock, by which a process of another host asks the holder to stop. */
export interface CancelRequest {
  /** Of the holder that is meant; whoever holds the lock after it is not. */
  readonly token: string;
  /** Without waiting for what runs. */
  readonly now: boolean;
}

export function askToCancel(stateDir: string, request: CancelRequest): void {
  const file = requestFile(stateDir);
  const own = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(own, `${JSON.stringify(request)}\n`);
    renameSync(own, file);
  } catch (error) {
    throw diskError(error, file);
  }
}

/** Takes the request away, whoever it is meant for: only the holder reads them. */
export function takeRequest(stateDir: string): CancelRequest | undefined {
  const file = requestFile(stateDir);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  rmSync(file, { force: true });
  const { token, now } = JSON.parse(text) as Partial<CancelRequest>;
  return typeof token === 'string' ? { token, now: now === true } : undefined;
}

/** Takes a request back that nobody obeyed. */
export const withdrawRequest = (stateDir: string): void => rmSync(requestFile(stateDir), { force: true });

const requestFile = (stateDir: string): string => join(stateDir, 'cancel');
