import type { Gate, GateCheck } from '../../model/generated/config.js';
import { plural } from '../words/phrase.js';

/** Who or what decides after a task, in a few words. */
export function gateText(gate: Gate): string {
  if (gate === 'human') return 'a person approves';
  if (gate === 'auto') return 'nothing is checked, so it never passes';
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
  if (gate.kind === 'auto')
    return `${plural(gate.checks.length, 'check')} must hold: ${gate.checks.map(checkText).join('; ')}`;
  const votes = gate.votes === undefined || gate.votes === 1 ? '' : ` in ${gate.votes} votes`;
  const score = gate.threshold === undefined ? '' : `, score at least ${gate.threshold}`;
  const samples = gate.calibrate ? gate.calibrate.good.length + gate.calibrate.bad.length : 0;
  const sorts = samples === 0 ? '' : `, once it has sorted ${plural(samples, 'sample')}`;
  return `${gate.agent} judges by ${plural(gate.criteria.length, 'criterion', 'criteria')}${votes}${score}${sorts}`;
}

const checkText = (check: string | GateCheck): string =>
  typeof check === 'string'
    ? check
    : (check.command ?? `${check.file} is there${check.schema === undefined ? '' : ` and satisfies ${check.schema}`}`);

function reviseText({ kind, revise, exhausted }: GateObject): string {
  if (!revise) return '';
  const asked = kind === 'human' ? 'then no more' : 'then it fails';
  const then = exhausted === 'human' ? 'then a person decides' : exhausted === 'fail' ? 'then it fails' : asked;
  return `; sent back${revise.stage === undefined ? '' : ` to ${revise.stage}`} at most ${plural(revise.max, 'time')}, ${then}`;
}
