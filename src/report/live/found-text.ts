import type { ProtectionViolated, StudyChanged } from '../../model/events/protection-event.js';
import { failureWords } from '../failures/failure-text.js';
import type { FailureWords } from '../failures/failure-words.js';
import { listed } from '../words/phrase.js';

/** What a run was violated by, where no task has failed of it. */
export function foundWords(found: ProtectionViolated | StudyChanged): FailureWords {
  if (found.type === 'study-changed') return changedWords(found);
  const { files, evidence, problems } = found;
  const { what, next } = failureWords({ code: 'protect-violated', files, evidence, ...(problems ? { problems } : {}) });
  return { what: `at the end of the run: ${what}`, next };
}

/** A person may have edited it, and a program as well: nobody can tell them apart. */
export function changedWords({
  files,
  evidence,
  task,
}: Pick<StudyChanged, 'files' | 'evidence' | 'task'>): FailureWords {
  const isOne = files.length === 1;
  return {
    what: `${listed(files)} ${isOne ? 'was' : 'were'} changed while ${task} ran, by what it runs or by you; nothing was put back, and this run goes by what ${isOne ? 'it' : 'they'} said before`,
    next: `Compare with what ${isOne ? 'it was' : 'they were'}: ${evidence}/before; put back what you have not written, then go on with autoresearch exec, which goes by what is there then`,
  };
}
