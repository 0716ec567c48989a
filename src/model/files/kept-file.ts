/** A file of the record as it was when what it tells of was over. */
export interface KeptFile {
  readonly bytes: number;
  readonly digest: string;
}

/** What a call leaves behind for people: what it was asked, what it answered, and what it printed. */
export const callFiles = ['prompt.md', 'reply.json', 'events.jsonl', 'stdout.log', 'stderr.log'] as const;

/** By name, in one folder. */
export interface KeptFiles {
  readonly [name: string]: KeptFile;
}
