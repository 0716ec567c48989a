import type { Value, Values } from 'autoresearch';
import type { Arm, Row } from './compare.js';
import { same, shown } from './value.js';

/** What the runs say under the names that the config uses. */
export function renamed(params: Values, names: { readonly [param: string]: string }): Values {
  const found = new Map(params);
  for (const [param, other] of Object.entries(names)) {
    const value = params.get(other);
    if (value !== undefined) found.set(param, value);
  }
  return found;
}

interface Written {
  readonly runs: readonly Arm[];
  readonly files: readonly Arm[];
  /** What the parameter was changed to for all arms, to mend a job. */
  changed(param: string): string | undefined;
}

/** A variable is text, whatever a program makes of it. */
const says = (text: string, used: Value): boolean =>
  used === text || (typeof used === 'number' && text.trim() !== '' && Number(text) === used);

/**
 * A run that did not use what its own file says. Whether the arms may differ there is another question, so no exception
 * covers it.
 */
export function asWritten(rows: readonly Row[], { runs, files, changed }: Written): Row[] {
  return rows.map((row) => {
    const set = changed(row.param);
    const strayed = runs.flatMap(({ name }, at) => {
      const [used, written] = [row.values[at], files[at]!.params.get(row.param)];
      if (used === undefined || written === undefined || same(used, written)) return [];
      return [`${name} ran with ${shown(used)}, its file says ${shown(written)}`];
    });
    if (strayed.length === 0) return row;
    // Changed to mend a job, in every arm: whether it was in every arm is what the comparison between them says.
    if (set !== undefined && row.values.every((used) => used !== undefined && says(set, used)))
      return {
        ...row,
        remark: `changed for every arm to mend a job; the files say ${shown(files[0]!.params.get(row.param))}`,
      };
    const { except: _, ...rest } = row;
    return { ...rest, trouble: strayed.join('; ') };
  });
}
