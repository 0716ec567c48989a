import type { JournalEntry } from '../../model/events/event.js';
import type { GateDecided, GateOpened, JudgeCalibrated, RevisionRequested } from '../../model/events/gate-event.js';
import type { GateKind } from '../../model/gates/gate.js';
import { decidedByText } from '../gates/gate-words.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';

export type GateEvent = GateOpened | GateDecided | RevisionRequested | JudgeCalibrated;

const types: ReadonlySet<string> = new Set<GateEvent['type']>([
  'gate-opened',
  'gate-decided',
  'revision-requested',
  'judge-calibrated',
]);

/**
 * A rejection is told as the end of its task, a revision by what follows from it, and a question that nobody waits for has
 * its answer at once.
 */
export const isTold = (event: GateEvent): boolean =>
  event.type === 'gate-decided'
    ? event.verdict === 'pass'
    : event.type !== 'gate-opened' || event.kind === 'human' || event.kind === 'instructions';

export const isOfGates = (entry: JournalEntry): entry is JournalEntry & GateEvent => types.has(entry.type);

/** What happened at a gate, in one line: `build  approved by ada`. */
export function gateEventText(event: GateEvent): string {
  switch (event.type) {
    case 'gate-opened': {
      const because = event.because === undefined ? '' : `: ${plainLine(event.because)}`;
      return `${event.task}  ${askedTexts[event.kind]}${because}`;
    }
    case 'gate-decided':
      return decidedText(event);
    case 'revision-requested':
      return `${event.task}  sent back to ${event.stage} (round ${event.round}): ${plainLine(event.feedback.replace(/\n/g, '; '))}`;
    case 'judge-calibrated':
      return event.wrong.length === 0
        ? `${event.task}  judge ${event.agent} sorted ${plural(event.samples, 'sample')} right`
        : `${event.task}  judge ${event.agent} got ${event.wrong.length} of ${plural(event.samples, 'sample')} wrong`;
  }
}

const askedTexts: Readonly<Record<GateKind, string>> = {
  human: 'waits at its gate for a person',
  instructions: 'waits for the instructions of a person',
  auto: 'is looked at',
  'auto-judge': 'is looked at',
};

const verdicts = { pass: 'approved', revise: 'to be revised', reject: 'rejected' } as const;

function decidedText({ task, verdict, by, reasons, votes = [], failed, from }: GateDecided): string {
  const scores = votes.flatMap(({ score }) => (score === undefined ? [] : [score]));
  const score = scores.length === 0 ? '' : `, ${scores.length === 1 ? 'score' : 'scores'} ${scores.join(', ')}`;
  const said = reasons.length === 0 ? '' : `: ${plainLine(reasons.join('; ').replace(/\n/g, ' '))}`;
  return failed
    ? `${task}  no verdict at its gate${said}`
    : `${task}  ${verdicts[verdict]} by ${decidedByText(by)}${from ? ` in run ${from.run}, and this is the very same` : ''}${score}${said}`;
}
