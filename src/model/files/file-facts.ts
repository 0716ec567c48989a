/** What a behaviour can know of a file besides what stands in it. */
export interface FileFacts {
  readonly sizeBytes: number;
  /** The task whose result it is, in this run or, where that still holds, in an earlier one. */
  readonly madeBy?: string;
  /** It comes from elsewhere on purpose: the stage names it under `inputs`, and no task of the plan has it among its outputs. */
  readonly isOutside?: true;
  /** The same for all names of one file, and for links that lead to it. */
  readonly id?: string;
  /** A task of this run had made it, and the study does not have that task any more. */
  readonly madeByFormer?: string;
  /**
   * No task of the study made it, and it, or what it is a link to, was there before this run began, or went on with another
   * plan.
   */
  readonly isOlder: boolean;
}
