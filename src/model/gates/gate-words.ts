import type { Gate } from '../generated/config.js';
import type { SentBack } from './gate.js';

/** A gate as a map, also where it is written as one word. */
export type GateMap = Exclude<Gate, string>;

export const gateMap = (gate: Gate): GateMap => {
  if (gate === 'human') return { kind: 'human' };
  return gate === 'auto' ? { kind: 'auto', checks: [] } : gate;
};

/** The stage that gets the feedback; undefined: the one that the gate belongs to. */
export const reviseStage = (gate: Gate | undefined): string | undefined =>
  typeof gate === 'object' ? gate.revise?.stage : undefined;

/** How often a gate may send work back by itself. A person who says so each time is not counted. */
export const mostRounds = (gate: Gate | undefined): number => (typeof gate === 'object' ? (gate.revise?.max ?? 0) : 0);

/** Why a task runs again, in one line. */
export const sentBackWords = ({ by, round, feedback, changed }: SentBack): string => {
  if (changed !== undefined) return changed;
  return feedback === undefined
    ? `what it needs was sent back by the gate of ${by}`
    : `the gate of ${by} sent it back (round ${round}): ${feedback.replace(/\s+/g, ' ')}`;
};

/** All that whoever does it again has to know. */
export const feedbackText = ({ feedback, earlier = [] }: SentBack): string | undefined =>
  feedback === undefined || earlier.length === 0
    ? feedback
    : [feedback, '', 'Before that it was sent back with:', ...earlier.map((text) => `- ${text}`)].join('\n');
