import { appendFileSync } from 'node:fs';
import type { CommandExit } from '../../model/ports.js';
import type { PreparedCommand } from './prepare-command.js';
import { signalName } from './signal-name.js';
import { wardenName } from './warden-script.js';
import type { SlotEnd } from './warden-slot.js';
import { notStarted, refusalIn, whyNotStarted } from './why-not-started.js';

export interface EndContext {
  /** The signal that we sent ourselves. */
  readonly wish: string | undefined;
  /** Whether there ever was a helper. When there was, a command that it was given may have begun, whatever we heard. */
  readonly helped: boolean;
  /** Why the helper is gone, when it is. */
  readonly lostBecause: string | undefined;
}

/** What a slot's last word means for the command. */
export function wardenExit(command: PreparedCommand, end: SlotEnd, context: EndContext): CommandExit {
  if (end.kind === 'lost') return lostExit(command, context);
  if (end.kind === 'untaken') {
    return context.wish === undefined
      ? {
          kind: 'not-started',
          failure: notStarted('the process that was to run the command was killed before it began'),
        }
      : { kind: 'signalled', signal: context.wish };
  }
  if (end.kind === 'refused') {
    return {
      kind: 'not-started',
      failure: whyNotStarted(command, 'bash could not set up its folder, variables and logs'),
    };
  }
  const { status, bySignal } = end;
  if (bySignal) return { kind: 'signalled', signal: signalName(status - 128) ?? `SIG${status - 128}` };
  const refusal = status === 126 || status === 127 ? refusalIn(command.stderrFile, command.program) : undefined;
  return refusal === undefined
    ? { kind: 'exited', exitCode: status }
    : { kind: 'not-started', failure: notStarted(refusal) };
}

/** The command may have done all, some or nothing of its work; what is left of it is killed. The log says why. */
function lostExit(command: PreparedCommand, { helped, lostBecause }: EndContext): CommandExit {
  const detail = `the helper process that runs commands was lost${lostBecause === undefined ? '' : `: ${lostBecause}`}`;
  if (!helped) return { kind: 'not-started', failure: notStarted(detail) };
  try {
    appendFileSync(command.stderrFile, `${wardenName}: ${detail}; this command was killed with it\n`);
  } catch {
    // The exit alone has to tell.
  }
  return { kind: 'signalled', signal: 'SIGKILL' };
}
