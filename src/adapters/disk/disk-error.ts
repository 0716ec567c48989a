import { FailureError } from '../../model/failure.js';

/** What the disk said, as one of our failures. Anything unexpected stays what it was. */
export function diskError(error: unknown, file: string): FailureError {
  if (error instanceof FailureError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new FailureError({ code: 'disk-full', file });
  return new FailureError({ code: 'not-writable', file, detail: message });
}
