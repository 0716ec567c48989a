/** A place that a regular expression fits. */
export interface TextMatch {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly groups: { readonly [name: string]: string };
  /** Where it begins in the text. */
  readonly index: number;
  /** What stands right before and right after a group, a few signs of it, where that may belong to the same number. */
  readonly around: { readonly [name: string]: readonly [before: string, after: string] };
}
