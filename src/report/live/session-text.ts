import type { SessionReplaced } from '../../model/events/agent-event.js';
import { plural } from '../words/phrase.js';

/** `the session s1 of coder was gone; a new one was told of 3 of its 4 calls`. */
export const replacedText = ({ agent, session, told, of }: SessionReplaced & { readonly agent: string }): string =>
  `the session ${session} of ${agent} was gone; a new one was told of ${told === of ? `its ${plural(of, 'call')}` : `${told} of its ${plural(of, 'call')}`}`;
