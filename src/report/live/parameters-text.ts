import { changedWords, type ParametersChanged, parameterWords } from '../../model/parameters.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';

/** `train:arm=a was changed to BATCH=8 (because the GPU ran out of memory), which holds for every arm; 2 tasks are done again`. */
export function parametersText(change: ParametersChanged): string {
  const { task, set, to } = change;
  if (task === undefined) return `${parameterWords(set)} holds for every arm, as in earlier runs`;
  const again = to.length === 0 ? '' : `; ${plural(to.length, 'task')} ${to.length === 1 ? 'is' : 'are'} done again`;
  return `${task}  ${plainLine(changedWords(change))}, which holds for every arm${again}`;
}
