import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Says that a planner may have been changing something when the runner went. What it was stands in the journal. */
export const planningMark = (stateDir: string): string => join(stateDir, 'planning');

export const isMarked = (stateDir: string): boolean => existsSync(planningMark(stateDir));
