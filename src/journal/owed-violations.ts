import type { JournalEntry } from '../model/events/event.js';
import { exitCode, failureExitCode } from '../model/exit-code.js';
import type { Failure } from '../model/failure.js';

/** A violation that is written down, and that no run has ended with: its runner was killed before. */
export interface OwedViolation {
  /** Absent at the end of the run. */
  readonly task?: string;
  readonly failure: Failure;
  /** The task has failed of it for good, so there is no other try, whatever `onViolation` says. */
  readonly isFinal: boolean;
  /** By which the rest of it can be put back: see the event. */
  readonly kept?: string;
  readonly place?: string;
}

/** Of a run that has ended there are none: whoever called it has seen its exit code. */
export function owedViolations(entries: readonly JournalEntry[]): readonly OwedViolation[] {
  let owed: OwedViolation[] = [];
  const without = (task: string): OwedViolation[] => owed.filter((one) => one.task !== task);
  const agents = new Map<string, string>();
  for (const entry of entries)
    switch (entry.type) {
      case 'run-started':
      case 'run-finished':
        owed = [];
        break;
      case 'agent-invoked':
        agents.set(entry.task, entry.agent);
        break;
      case 'protection-violated': {
        const { task, files, evidence, problems, kept, place } = entry;
        const agent = task === undefined ? undefined : agents.get(task);
        const by = agent === undefined ? {} : { agent };
        const wrong = problems ? { problems } : {};
        owed = owed.filter((one) => !('evidence' in one.failure) || one.failure.evidence !== evidence);
        owed.push({
          ...(task === undefined ? {} : { task }),
          failure: { code: 'protect-violated', files, evidence, ...by, ...wrong },
          isFinal: false,
          ...(kept === undefined ? {} : { kept }),
          ...(place === undefined ? {} : { place }),
        });
        break;
      }
      case 'agent-validation-failed': {
        const { task, violated: files = [], held } = entry;
        // What was said of it as a breach says more.
        if (files.length === 0 || owed.some((one) => one.task === task && coversAll(one.failure, files))) break;
        const agent = agents.get(task) ?? 'unknown';
        owed.push({
          task,
          failure: { code: 'scope-violated', agent, files, ...(held ? { held } : {}), problems: [] },
          isFinal: false,
        });
        break;
      }
      // What is tried again was to be tried again.
      case 'task-finished':
        owed = without(entry.task);
        break;
      case 'task-failed':
        owed = without(entry.task);
        if (!entry.retrying && failureExitCode[entry.failure.code] === exitCode.integrity)
          owed.push({ task: entry.task, failure: entry.failure, isFinal: true });
        break;
      default:
    }
  return owed;
}

const coversAll = (failure: Failure, files: readonly string[]): boolean =>
  failure.code === 'protect-violated' && files.every((file) => failure.files.includes(file));
