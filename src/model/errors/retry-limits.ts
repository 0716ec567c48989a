import { parseDuration } from '../duration.js';
import type { Retry } from '../generated/config.js';

/** Most tries of one task, whatever their classes. With a single try per class the first failure is the last. */
export const totalTries = ({ attempts, total }: Retry): number => (attempts <= 1 ? 1 : (total ?? 5 * attempts));

const longestPauseMs = 3_600_000;

/** The pause after so many failures of one class, before chance takes something off. It doubles up to an hour. */
export function fullPauseMs({ backoff }: Retry, failures: number): number {
  const firstMs = backoff === undefined ? 0 : (parseDuration(backoff) ?? 0);
  return firstMs === 0 ? 0 : Math.min(firstMs * 2 ** (failures - 1), Math.max(firstMs, longestPauseMs));
}

/** A reply of an agent that does not fit is asked for again, more strictly, this often. */
export const mostCorrections = 2;

/** Planners may change the task files of a stage this often before a person looks: each change may bring tasks that fail in turn. */
export const mostReplans = 3;

/** What is mended for one task may make others run again this often: two who undo each other's work come to an end. */
export const mostReopens = 3;

/** What `escalate` may name besides agents. */
export const escalationWords: readonly string[] = ['instructions', 'human', 'fail'];

export const isAgentName = (name: string): boolean => !escalationWords.includes(name);

/** Nobody comes after a person who has the last word, or after the end. */
export const endsEscalation = (name: string): boolean => name === 'human' || name === 'fail';

/** A person in the list, in words; undefined for an agent. */
export const personText = (to: string): string | undefined =>
  to === 'human' ? 'a person' : to === 'instructions' ? 'a person (for instructions)' : undefined;

/** Who is asked next, as the end of a sentence. */
export const isAskedText = (to: string): string =>
  to === 'instructions' ? 'a person is asked for instructions' : `${to === 'human' ? 'a person' : to} is asked`;

/** The agents that may be asked when the tries are spent: those before a person, or the end, has the last word. */
export function escalationAgents(escalate: readonly string[] = []): readonly string[] {
  const last = escalate.findIndex(endsEscalation);
  return (last === -1 ? escalate : escalate.slice(0, last)).filter(isAgentName);
}
