import type { JournalEntry } from '../model/events/event.js';
import { isOfGate } from '../model/failure.js';
import type { GateState, SentBack } from '../model/gates/gate.js';
import type { TaskState } from '../model/state/run-state.js';
import { withQuestion, withWords } from './apply-words.js';
import { withoutWords } from './tries.js';

type GateEntry = Extract<
  JournalEntry,
  { type: 'gate-opened' | 'gate-decided' | 'revision-requested' | 'judge-calibrated' }
>;

/** The parts of a run's state that gates change. */
interface GatedState {
  readonly tasks: Map<string, TaskState>;
  readonly sentBack: Map<string, SentBack>;
  readonly calibrated: Map<string, readonly string[]>;
}

const untouched: GateState = { rounds: 0 };

/** A gate stands beside its task: the task has passed, whatever the gate says of it. Only a rejection fails it. */
export function applyGate(state: GatedState, entry: GateEntry): void {
  switch (entry.type) {
    case 'judge-calibrated':
      state.calibrated.set(entry.key, entry.wrong);
      return;
    case 'gate-opened': {
      const task = known(state, entry.task);
      if (entry.kind === 'instructions') {
        state.tasks.set(task.id, withQuestion(task, { ...bare(entry), at: atOf(entry) }));
        return;
      }
      const { redone: _, ...gate } = task.gate ?? untouched;
      const before = gate.opened ? { before: gate.opened.evidence } : {};
      const opened = { ...bare(entry), at: atOf(entry) };
      state.tasks.set(task.id, { ...notRejected(task), gate: { ...gate, ...before, opened } });
      return;
    }
    case 'gate-decided': {
      const task = known(state, entry.task);
      const decided = { ...bare(entry), at: atOf(entry) };
      if (task.words?.asked?.question === entry.question) {
        state.tasks.set(task.id, withWords(task, decided));
        return;
      }
      const { owed: _owed, redone: _redone, ...asked } = task.gate ?? untouched;
      const gate = entry.from ? withoutQuestion(asked) : asked;
      const next = { ...gate, decided, ...(entry.verdict === 'revise' ? { owed: true as const } : {}) };
      state.tasks.set(task.id, { ...notRejected(task), gate: next, ...rejection(next) });
      return;
    }
    case 'revision-requested':
      sendBack(state, entry);
  }
}

/** What had been asked meanwhile was about something else, and waits for nobody any more. */
function withoutQuestion({ opened: _opened, before: _before, ...gate }: GateState): GateState {
  return gate;
}

function sendBack(state: GatedState, entry: Extract<GateEntry, { type: 'revision-requested' }>): void {
  const { task, to, downstream, round, feedback } = entry;
  const asked = known(state, task);
  const { owed: _, ...gate } = asked.gate ?? untouched;
  const earlier = gate.feedback ?? [];
  state.tasks.set(task, { ...asked, gate: { ...gate, rounds: round, feedback: [...earlier, feedback] } });
  for (const id of to)
    state.sentBack.set(id, { by: task, round, feedback, ...(earlier.length > 0 ? { earlier } : {}) });
  for (const id of downstream) state.sentBack.set(id, { by: task, round });
  for (const id of [...to, ...downstream]) {
    const again = state.tasks.get(id);
    if (again) state.tasks.set(id, withoutTries(withoutWords(again)));
  }
}

/** What is begun anew has its tries anew; how often that can happen is bounded by the gate. */
function withoutTries(task: TaskState): TaskState {
  const { failures: _failures, waits: _waits, escalations: _escalations, escalatedFor: _for, ...rest } = task;
  return rest;
}

/** What was decided outlives another attempt: for the same artefact nobody is asked twice. */
export const gateAfterStart = (task: TaskState | undefined): Pick<TaskState, 'gate'> =>
  task?.gate ? { gate: { ...task.gate, redone: true } } : {};

/** What another run decided is taken over; how often work was sent back in this one stays. */
export function gateAfterSkip(
  task: TaskState | undefined,
  carried: GateState | undefined,
): Pick<TaskState, 'gate'> & Partial<Pick<TaskState, 'status' | 'failure'>> {
  if (!carried) return task?.gate ? { gate: task.gate } : {};
  const { rounds, feedback } = task?.gate ?? carried;
  return { gate: { ...carried, rounds, ...(feedback ? { feedback } : {}) }, ...rejection(carried) };
}

/** A task whose gate rejected it counts as failed, and keeps what it made. */
function rejection(gate: GateState | undefined): Pick<TaskState, 'status' | 'failure'> | undefined {
  const decided = gate?.decided;
  if (decided?.verdict !== 'reject') return undefined;
  const { by, reasons, failed, uncalibrated } = decided;
  if (uncalibrated)
    return { status: 'failed', failure: { code: 'judge-uncalibrated', agent: by.name, wrong: uncalibrated } };
  return { status: 'failed', failure: { code: 'gate-rejected', by, reasons, ...(failed ? { failed } : {}) } };
}

/** As it was before its gate rejected it. */
function notRejected(task: TaskState): TaskState {
  if (!isOfGate(task.failure)) return task;
  const { failure: _, ...rest } = task;
  return { ...rest, status: 'passed' };
}

function known(state: GatedState, id: string): TaskState {
  const task = state.tasks.get(id);
  if (!task) throw new Error(`journal tells of the gate of task ${id}, which it never started`);
  return task;
}

/** Without what only the journal needs. */
function bare<Entry extends JournalEntry>(entry: Entry): Omit<Entry, 'type' | 'seq' | 'at' | 'prev' | 'hash'> {
  const { type: _type, seq: _seq, at: _at, prev: _prev, hash: _hash, ...rest } = entry;
  return rest;
}

const atOf = ({ at }: JournalEntry): number => Date.parse(at);
