import type { Gate } from '../model/generated/config.js';
import { plural } from './phrase.js';

/** Who or what decides after a task, in a few words. */
export function gateText(gate: Gate): string {
  if (gate === 'human') return 'a person approves';
  if (gate === 'auto') return 'passes by itself when the task passed';
  return `${decider(gate)}${reviseText(gate)}`;
}

/** One word for graphs. */
export const gateKind = (gate: Gate): string => (typeof gate === 'string' ? gate : gate.kind);

type GateObject = Exclude<Gate, string>;

function decider(gate: GateObject): string {
  if (gate.kind === 'human') {
    const who = gate.approvers ? gate.approvers.join(' or ') : 'a person';
    return `${who} approves${gate.expires === undefined ? '' : ` within ${gate.expires}, else it rejects`}`;
  }
  if (gate.kind === 'auto') return `${plural(gate.checks.length, 'check')} must hold: ${gate.checks.join('; ')}`;
  const votes = gate.votes === undefined || gate.votes === 1 ? '' : ` in ${gate.votes} votes`;
  return `${gate.agent} judges by ${plural(gate.criteria.length, 'criterion', 'criteria')}${votes}`;
}

function reviseText({ revise, exhausted }: GateObject): string {
  if (!revise) return '';
  const then = exhausted === 'human' ? 'then a person decides' : 'then it fails';
  return `; sent back${revise.stage === undefined ? '' : ` to ${revise.stage}`} at most ${plural(revise.max, 'time')}, ${then}`;
}
