import type { EditedMeanwhile, IterationResumed } from '../../model/events/iteration-event.js';
import { listed } from '../words/phrase.js';

/** What is in an iteration that it did not do itself, or may not have done. */
export const editedWords = ({ files, by }: EditedMeanwhile): string =>
  by === 'person'
    ? `edited by a person while stopped: ${listed(files, 6)}`
    : `not known to be its own, because its runner was killed: ${listed(files, 6)}`;

/** What whoever goes on is told. */
export function resumedLine({ number, files, by }: IterationResumed): string {
  const [is, it, they] = files.length === 1 ? ['is', 'It is', 'it'] : ['are', 'They are', 'them'];
  const why =
    by === 'person'
      ? `Edited by a person while iteration ${number} was stopped: ${listed(files, 6)}.`
      : `The runner of iteration ${number} was killed, and ${listed(files, 6)} ${is} not as last noted: nobody knows whether the iteration or a person changed ${they}.`;
  return `${why} ${it} measured as a part of iteration ${number}, and kept or put back with it.`;
}
