import type { AgentTrouble } from '../../../model/agents/agent.js';

/** Ends the whole call, from however deep inside it. */
export class CallEnd extends Error {
  readonly why: AgentTrouble;
  readonly resetAt: number | undefined;

  constructor(why: AgentTrouble, detail: string, resetAt?: number) {
    super(detail);
    this.why = why;
    this.resetAt = resetAt;
  }
}

/** Something is not done. The words go to the model, which may try something else, and to people. */
export class ToolRefusal extends Error {}
