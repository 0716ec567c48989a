import { relative } from 'node:path';
import { errorLog } from '../../../model/files/error-log-path.js';

/** What the runner itself writes while an agent works. */
export function leftOut({ root, folder }: { readonly root: string; readonly folder: string }): readonly string[] {
  const cassettes = relative(root, folder);
  return [errorLog, ...(/^(\.\.(\/|$)|$)/.test(cassettes) ? [] : [cassettes])];
}
