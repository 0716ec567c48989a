/** What is thought of a failed attempt. */
export interface ErrorVerdict {
  /** Each class has its own count of tries. */
  readonly errorClass: string;
  /** The message without what differs from time to time; absent when nothing was said. */
  readonly signature?: string;
  /** A quota or a rate limit that says when to come back. Waiting for it costs no attempt. Milliseconds since 1970. */
  readonly resetAt?: number;
  /** Classes of the user whose expressions took too long and were given up. */
  readonly gaveUp?: readonly string[];
  /** Trying again cannot help: a mistake of design, or an interruption. */
  readonly final: boolean;
}
