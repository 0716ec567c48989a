import type { StageContext } from 'autoresearch';
import type { CompareOptions } from './options.js';

/** A file that no task of the run has made, and that the config names all the same. */
export interface Outside {
  readonly file: string;
  readonly sha256: string;
  readonly what: 'table' | 'reported';
}

/** What of it is no work of the run. A text says why the table cannot be believed. */
export function outsideOf({ results, reproduce }: CompareOptions, context: StageContext): readonly Outside[] | string {
  const table = context.fileFacts(results);
  if (table && table.madeBy === undefined && !table.isOutside)
    return `${results}: it is not what a task of this run made; a table from elsewhere has to be named under inputs`;
  const reported = reproduce?.reported as number | { readonly from: string } | undefined;
  const files = [
    { file: results, what: 'table' as const },
    // A paper's numbers come from elsewhere, and the option that says where is the place to say so.
    ...(typeof reported === 'object' ? [{ file: reported.from, what: 'reported' as const }] : []),
  ];
  return files.flatMap(({ file, what }) =>
    context.fileFacts(file)?.madeBy === undefined ? [{ file, sha256: context.digest(file) ?? '', what }] : [],
  );
}

export const outsideText = ({ file, sha256, what }: Outside): string =>
  what === 'table'
    ? `${file} is no work of this run: the config names it as an input (sha256 ${sha256})`
    : `the reported number is from ${file}, which is no work of this run (sha256 ${sha256})`;
