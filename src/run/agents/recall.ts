import type { SessionReplaced } from '../../model/events/agent-event.js';
import type { RememberedCall } from '../../model/state/agent-memory.js';

export interface RecallTools {
  /** The session of an agent, or of an agent for a task, that is gone and that no new one has taken the place of. */
  lostOf(agent: string, task?: string): string | undefined;
  callsOf(session: string): readonly RememberedCall[];
  /** What is kept of a call; undefined when nothing is. */
  wordsOf(folder: string): CallWords | undefined;
}

export interface CallWords {
  readonly prompt: string;
  readonly reply?: string;
}

export interface Recall {
  readonly replaces: SessionReplaced;
  /** Goes before the prompt; empty when there is nothing to tell. */
  readonly text: string;
}

/** What a session that is gone was asked and what it replied, as far as it is kept, for the one that takes its place. */
export function recallOf(session: string, { callsOf, wordsOf }: Pick<RecallTools, 'callsOf' | 'wordsOf'>): Recall {
  const calls = callsOf(session);
  const kept = calls.flatMap((call) => {
    const words = call.folder === undefined ? undefined : wordsOf(call.folder);
    return words ? [{ ...call, ...words }] : [];
  });
  const shown = kept.slice(-mostCalls);
  const replaces = { session, told: shown.length, of: calls.length };
  if (shown.length === 0) return { replaces, text: '' };
  const room = Math.floor(mostLetters / shown.length);
  const parts = shown.map(({ task, attempt, prompt, reply }, index) =>
    [
      `## ${index + 1}. Task ${task}, attempt ${attempt}`,
      `You were asked:\n\n${cut(own(prompt), 0.7 * room)}`,
      reply === undefined ? 'Your reply is not kept.' : `You replied:\n\n${cut(reply, 0.3 * room)}`,
    ].join('\n\n'),
  );
  const left = calls.length - shown.length;
  const missing = left > 0 ? ` Of ${left} more nothing is told here.` : '';
  return {
    replaces,
    text: `${opening}${missing}\n\n${parts.join('\n\n')}\n\n${nowHeading}\n\n`,
  };
}

const opening =
  '# What you did before\n\nYour earlier session is gone, and with it all that you remember. This is what you were asked in it and what you replied, oldest first. That work is done: know it, and do not do it again.';
const nowHeading = '# What is asked of you now';

const mostCalls = 40;
/** A tenth of what the smallest of today's models can read at once. */
const mostLetters = 40_000;

/** A call that was itself told of an earlier session is not told of it twice. */
const own = (prompt: string): string =>
  prompt.startsWith(opening) ? prompt.slice(prompt.indexOf(nowHeading) + nowHeading.length).trimStart() : prompt;

function cut(text: string, most: number): string {
  const whole = text.trim();
  const room = Math.floor(most);
  if (whole.length <= room) return whole;
  const [front, back] = [Math.ceil(room * 0.7), Math.floor(room * 0.3)];
  return `${whole.slice(0, front)}\n[… ${whole.length - front - back} letters are left out …]\n${whole.slice(whole.length - back)}`;
}

/** Why a new session must not take the place of the lost one: it would not know that it has forgotten everything. */
export function forgottenDetail({ replaces: { session, told, of } }: Recall): string | undefined {
  if (told > 0 || of === 0) return undefined;
  return `its session ${session} is gone, and nothing is kept of the ${of} ${of === 1 ? 'call' : 'calls'} in it`;
}

export const replacedWords = ({ session, told, of }: SessionReplaced): string =>
  `its session ${session} is gone; a new one is told what the old one was asked (${told} of ${of} ${of === 1 ? 'call' : 'calls'})`;
