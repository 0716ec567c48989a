import { diskError } from './disk-error.js';
import { writePlain } from './plain-file.js';

/** As `writePlain`; what the disk says against it is a failure of ours to tell, not a bug. */
export function writeOrTell(file: string, text: string | Buffer): void {
  try {
    writePlain(file, text);
  } catch (error) {
    throw diskError(error, file);
  }
}
