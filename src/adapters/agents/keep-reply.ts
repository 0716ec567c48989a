import type { JsonObject } from '../../model/json.js';
import { writePlain } from '../disk/plain-file.js';

/** For people. A reply that cannot be written down, because it is too deep or its folder is gone, is judged all the same. */
export function keepReply(file: string, reply: JsonObject): void {
  try {
    writePlain(file, `${JSON.stringify(reply, null, 2)}\n`);
  } catch {
    // Whoever asked has it.
  }
}
