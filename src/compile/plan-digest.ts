import { hash } from 'node:crypto';
import type { Plan } from '../model/plan.js';

/** Tasks are built with their keys in one order, and drafting sorts what users wrote: plain JSON is canonical here. */
export const planDigest = ({ version, name, tasks }: Pick<Plan, 'version' | 'name' | 'tasks'>): string =>
  hash('sha256', JSON.stringify({ version, name, tasks }));
