/** What the runner tells the scribe, a line of JSON each. */
export type ToScribe =
  /** Values that are to be hidden, and what stands for each; in letters that are bytes. */
  | { readonly do: 'know'; readonly set: string; readonly marks: readonly (readonly [form: string, mark: string])[] }
  | {
      readonly do: 'open';
      readonly id: number;
      readonly set: string;
      /** Absolute: of the standard output and of the standard error; may be the same. */
      readonly logs: readonly [stdout: string, stderr: string];
      /** More than so many bytes are not taken: the pipe is closed. */
      readonly most?: number;
    }
  /** The command is over: what it has written by now is wanted in the logs. */
  | { readonly do: 'end'; readonly id: number };

/** What the scribe answers. */
export type FromScribe =
  | { readonly id: number; readonly say: 'open'; readonly pipes: readonly [stdout: string, stderr: string] }
  /** Of a command that has not begun: it cannot. Of one that runs: its log is not whole, and its pipe is closed. */
  | {
      readonly id: number;
      readonly say: 'trouble';
      readonly file: string;
      readonly code: string;
      readonly detail: string;
    }
  | { readonly id: number; readonly say: 'drained' }
  /** Nothing more is wanted, but somebody keeps a pipe open: it will leave later. */
  | { readonly id: 0; readonly say: 'staying' };

/** Both ends speak in lines. */
export function lineReader<Message>(onMessage: (message: Message) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) onMessage(JSON.parse(line) as Message);
  };
}
