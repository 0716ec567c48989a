import type { ExitFile, JobHow, JobStanding } from '../../model/scheduler.js';

export type Judgement =
  | { readonly kind: 'goes-on' }
  /** Nobody knows: to be waited for, up to a limit. */
  | { readonly kind: 'unknown'; readonly detail: string; readonly endsSoon?: true }
  | {
      readonly kind: 'ended';
      readonly how: JobHow;
      readonly word: string;
      readonly exitCode?: number;
      readonly detail?: string;
    };

/**
 * Two witnesses: the scheduler's state, and the exit file of the wrapper where files are shared. A success needs both. When
 * the scheduler has forgotten the job, the exit file is believed: it was written by the job itself, at its end.
 */
export function judge(standing: JobStanding, exit: ExitFile, sharesFiles: boolean): Judgement {
  switch (standing.kind) {
    case 'waiting':
      return standing.limbo ? { kind: 'unknown', detail: `it stays ${standing.word}` } : { kind: 'goes-on' };
    case 'running':
      return { kind: 'goes-on' };
    case 'unreachable':
      return { kind: 'unknown', detail: standing.detail };
    case 'no-record':
      if (exit.kind !== 'exited') return { kind: 'unknown', detail: `${standing.detail}${wordsOf(exit)}` };
      return byExit(exit.exitCode, {
        word: 'PURGED',
        detail: `${standing.detail}; its own exit file is what is known`,
      });
    case 'ended':
      return sharesFiles ? withExit(standing, exit) : alone(standing);
  }
}

type Ended = Extract<JobStanding, { kind: 'ended' }>;

/** Without shared files the scheduler tells the exit code of the container: that is the other witness. */
const alone = ({ how, word, exitCode, detail }: Ended): Judgement => ({
  kind: 'ended',
  how,
  word,
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(detail === undefined ? {} : { detail }),
});

function withExit(standing: Ended, exit: ExitFile): Judgement {
  const { how, word } = standing;
  if (how === 'completed') {
    if (exit.kind === 'exited') return byExit(exit.exitCode, { word });
    // The file may be on its way through the network.
    return { kind: 'unknown', detail: `the scheduler says ${word}, but ${missing(exit)}`, endsSoon: true };
  }
  if (how !== 'failed' || exit.kind !== 'exited') return alone(standing);
  if (exit.exitCode !== 0) return byExit(exit.exitCode, { word });
  return { ...alone(standing), detail: 'the command exited with 0, and the scheduler says otherwise' } as Judgement;
}

const byExit = (exitCode: number, more: { readonly word: string; readonly detail?: string }): Judgement => ({
  kind: 'ended',
  how: exitCode === 0 ? 'completed' : 'failed',
  exitCode,
  ...more,
});

const missing = (exit: ExitFile): string =>
  exit.kind === 'unreadable'
    ? exit.detail
    : 'the job left no exit file, so nobody knows that its command came to its end';

const wordsOf = (exit: ExitFile): string =>
  exit.kind === 'unreadable' ? `; ${exit.detail}` : ', and it left no exit file';
