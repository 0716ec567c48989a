import { type ParametersChanged, parameterWords } from '../../model/parameters.js';
import { plural } from '../words/phrase.js';

/** `train:arm=a was changed to BATCH=8, which holds for every arm; 2 tasks are done again`. */
export function parametersText({ task, set, to }: ParametersChanged): string {
  const words = parameterWords(set);
  if (task === undefined) return `${words} holds for every arm, as in earlier runs`;
  const again = to.length === 0 ? '' : `; ${plural(to.length, 'task')} ${to.length === 1 ? 'is' : 'are'} done again`;
  return `${task}  was changed to ${words}, which holds for every arm${again}`;
}
