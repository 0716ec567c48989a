import type { Failure } from '../../model/failure.js';
import type { Violated } from '../agents/asked.js';

/** Named only where there was somebody: most agents work alone. */
export const violation = (
  agent: string,
  { files, held, guarded = [], beside, problems, evidence }: Violated,
): Failure => ({
  code: 'scope-violated',
  agent,
  files,
  ...(held.length === 0 ? {} : { held }),
  ...(guarded.length === 0 ? {} : { guarded }),
  ...(beside.length === 0 ? {} : { beside }),
  ...(problems ? { problems } : {}),
  ...(evidence === undefined ? {} : { evidence }),
});
