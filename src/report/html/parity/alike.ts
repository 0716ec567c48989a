import type { ResultFile, RunFacts } from '../../history/run-facts.js';
import type { Validation } from '../../record/checks.js';
import { markdownTables } from '../markdown-table.js';
import { parityTable } from './parity-table.js';

/** The tables that a parity check has written. */
export const parityFiles = (task: string, { files }: RunFacts): readonly ResultFile[] =>
  [...files.values()].filter((file) => file.task === task && file.path.endsWith('.md'));

/**
 * Checks with one key say nothing that the first of them does not: they passed, over the same arms and parameters, with the same marks and
 * remarks. Values may be others, such as a seed. Whatever failed, differs, was changed since or cannot be read stands alone.
 */
export function alikeKey({ task, uses, status }: Validation, facts: RunFacts): string {
  const alone = `task ${task}`;
  if (uses !== 'parity' || (status !== 'passed' && status !== 'cached')) return alone;
  const files = parityFiles(task, facts);
  if (files.some(({ isChanged }) => isChanged)) return alone;
  const tables = files.length > 0 ? files.flatMap(({ text }) => markdownTables(text)) : printed(task, facts);
  const rows = tables.flatMap((one) => one.rows);
  if (rows.length === 0 || !rows.every(([mark]) => mark === '=' || mark === '~')) return alone;
  return JSON.stringify(tables.map(({ head, rows: of }) => [status, head, of.map(withoutValues)]));
}

const withoutValues = ([mark, param, ...cells]: readonly string[]) => [mark, param, cells.at(-1)];

function printed(
  task: string,
  { tables }: RunFacts,
): readonly { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }[] {
  const found = parityTable(tables.get(task)?.text ?? '');
  return found ? [{ head: found.arms, rows: found.rows }] : [];
}
