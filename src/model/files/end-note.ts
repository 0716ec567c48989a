/**
 * How a run ended, written beside its journal and once more outside of the project. A journal is a chain of hashes, which
 * shows any change but two: its last lines taken away, and the whole of it written anew. The note shows those.
 */
export interface EndNote {
  readonly version: 1;
  readonly run: string;
  /** Of the first line: stands for the journal, wherever the project is moved to. */
  readonly first: string;
  /** Of the last line. */
  readonly seq: number;
  readonly hash: string;
  /** Somebody is at work, so that more lines may follow. Absent, this is the end. */
  readonly open?: true;
  /** Of the record of a loop: it was found to be written in by somebody else, in words. Nobody goes on from it unasked. */
  readonly broken?: string;
}

/** `absent`: there is no such file. `unreadable`: there is something else in its place. */
export type EndNoteReading = EndNote | 'absent' | 'unreadable';
