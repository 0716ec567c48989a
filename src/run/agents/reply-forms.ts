import type { ReplyForm, ReplyForms } from '../../model/agents/reply.js';
import type { JsonObject } from '../../model/json.js';
import { checklistProtocol, checklistReply, checklistReplySchema } from './checklist-reply.js';
import { healthProtocol, healthReply, healthReplySchema } from './health-reply.js';
import { reviewProtocol, reviewReply, reviewReplySchema } from './review-reply.js';
import { workProtocol, workReply, workReplySchema } from './work-reply.js';

interface Form<Reply> {
  readonly schema: JsonObject;
  /** The words that ask for it. */
  readonly protocol: string;
  read(reply: JsonObject | undefined): Reply | string;
}

/** What agents can be asked to answer. */
export const replyForms: { readonly [Name in ReplyForm]: Form<ReplyForms[Name]> } = {
  work: { schema: workReplySchema, protocol: workProtocol, read: workReply },
  review: { schema: reviewReplySchema, protocol: reviewProtocol, read: reviewReply },
  health: { schema: healthReplySchema, protocol: healthProtocol, read: healthReply },
  checklist: { schema: checklistReplySchema, protocol: checklistProtocol, read: checklistReply },
};

/** What an agent is sent: what is to be done, then how to answer. */
export const withProtocol = (prompt: string, form: ReplyForm): string =>
  `${prompt.trimEnd()}\n\n${replyForms[form].protocol}\n`;
