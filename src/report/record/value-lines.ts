import { pointerOf } from '../../model/pointer.js';
import { parseJson } from '../../source/json.js';
import type { ResultFile } from '../history/run-facts.js';

/** The line on which a value of a JSON file stands, by its path; 1 when it cannot be told. */
export type ValueLine = (...at: readonly (string | number)[]) => number;

export function valueLines({ path, text }: Pick<ResultFile, 'path' | 'text'>): ValueLine {
  const read = parseJson(path, text);
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  return (...at) => {
    const range = read.ok ? read.value.locate(pointerOf(...at), 'value') : undefined;
    return range ? starts.findLastIndex((start) => start <= range.start) + 1 : 1;
  };
}
