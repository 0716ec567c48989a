import { isAskedText } from '../../model/errors/retry-limits.js';
import type { AgentValidationFailed } from '../../model/events/agent-event.js';
import type { OutputsAmended } from '../../model/events/amend-event.js';
import type { Escalated, FixFinished, MirrorDiffered } from '../../model/events/event.js';
import type { TaskFileChanged } from '../../model/events/replan-event.js';
import { failureWords } from '../failures/failure-text.js';
import { listed } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';

/** `a  fix by coder: moved the file`. Whether it helped shows in the next try, so no more is said. */
export const fixText = ({ task, by, ok, escalates, summary }: Omit<FixFinished, 'type'>): string =>
  `${task}  fix by ${shortened(plainLine(by))}${escalates ? ' says that another try cannot help' : ok ? '' : ' failed'}: ${plainLine(summary)}`;

export const unusableText = ({ task, detail, again, violated }: AgentValidationFailed): string =>
  violated
    ? `${task}  ${plainLine(detail)}`
    : `${task}  the reply could not be used: ${plainLine(detail)}${again ? '; asked again' : ''}`;

/** `a  exited with code 3; a person is asked`. */
export const escalatedText = ({ task, to, reason }: Pick<Escalated, 'task' | 'to' | 'reason'>): string =>
  `${task}  ${plainLine(reason)}; ${isAskedText(to)}`;

/** `test  coder changed src/x.py of make; done again: read, gate of make`. */
export const amendText = ({ task, by, amended, again = [] }: Omit<OutputsAmended, 'type'>): string => {
  const changed = amended.map((one) => `${one.outputs.map(({ path }) => path).join(', ')} of ${one.task}`);
  const more = again.filter((id) => id !== task);
  const what = changed.length > 0 ? `changed ${changed.join(', ')}` : 'changed what a gate was passed with';
  return `${task}  ${shortened(plainLine(by))} ${what}${more.length > 0 ? `; looked at or done again: ${listed(more, 5)}` : ''}`;
};

/** `build:T1  planner changed design/tasks.yaml: build:T1 (description); new: build:T3`. */
export const replanText = ({ task, ...change }: Omit<TaskFileChanged, 'type'>): string =>
  `${task}  ${changeText(change)}`;

export function changeText({ by, files, changed, added, dropped }: ChangeWords): string {
  const parts = [
    ...changed.map(({ task, what }) => `${task} (${what.join(', ')})`),
    ...(added.length > 0 ? [`new: ${added.join(', ')}`] : []),
    ...(dropped.length > 0 ? [`gone: ${dropped.join(', ')}`] : []),
  ];
  const what = parts.length === 0 ? 'nothing that tasks depend on' : parts.join('; ');
  return plainLine(`${by} changed ${files.map(({ path }) => path).join(', ')}: ${what}`);
}

type ChangeWords = Pick<TaskFileChanged, 'by' | 'files' | 'changed' | 'added' | 'dropped'>;

/** `a  left a difference between a source and its copy: …`. What it failed of is told beside it. */
export const mirrorText = ({ task, count, lines }: Omit<MirrorDiffered, 'type' | 'attempt'>): string =>
  `${task}  ${failureWords({ code: 'mirror-differs', count, lines }).what}`;

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
