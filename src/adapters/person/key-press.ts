import { createInterface } from 'node:readline';

/** A terminal that can be asked. */
export interface Terminal {
  /** A key that was pressed after the question was put; undefined when no more can come. */
  key(aborted: AbortSignal): Promise<string | undefined>;
  /** A line; undefined when no more can come. */
  line(prompt: string, aborted: AbortSignal): Promise<string | undefined>;
}

/** What is typed within so many milliseconds was typed before anybody could have read the question. */
const tooSoonMs = 300;

/** A key that is followed by more within this time is a piece of pasted text. */
const aloneMs = 80;

/** Standard input and output as a terminal. What arrives in one go is pasted text, not a key. */
export function openTerminal(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Terminal {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  for (const event of ['end', 'close', 'error'] as const) input.once(event, over);

  return {
    key(aborted) {
      return new Promise((resolve) => {
        if (isOver || aborted.aborted) return resolve(undefined);
        const since = Date.now();
        let held: NodeJS.Timeout | undefined;
        const done = (key: string | undefined): void => {
          clearTimeout(held);
          input.off('data', onData);
          for (const event of ['end', 'close', 'error'] as const) input.off(event, onEnd);
          aborted.removeEventListener('abort', onEnd);
          rawMode(input, false);
          input.pause();
          resolve(key);
        };
        const onEnd = (): void => done(undefined);
        const onData = (chunk: Buffer): void => {
          const text = chunk.toString('utf8');
          if (text === interrupt) process.kill(process.pid, 'SIGINT');
          else if (text === endOfInput) done(undefined);
          else {
            const isFirst = held === undefined;
            clearTimeout(held);
            const isKey = isFirst && Date.now() - since >= tooSoonMs && [...text].length === 1;
            held = setTimeout(() => {
              held = undefined;
              if (isKey) done(text);
            }, aloneMs);
          }
        };
        for (const event of ['end', 'close', 'error'] as const) input.once(event, onEnd);
        aborted.addEventListener('abort', onEnd, { once: true });
        rawMode(input, true);
        input.on('data', onData);
        input.resume();
      });
    },
    line(prompt, aborted) {
      return new Promise((resolve) => {
        if (isOver || aborted.aborted) return resolve(undefined);
        const lines = createInterface({ input, output, terminal: true });
        let said: string | undefined;
        const onAbort = (): void => lines.close();
        aborted.addEventListener('abort', onAbort, { once: true });
        lines.on('SIGINT', () => {
          process.kill(process.pid, 'SIGINT');
          lines.close();
        });
        lines.on('close', () => {
          aborted.removeEventListener('abort', onAbort);
          input.pause();
          resolve(said);
        });
        lines.question(prompt, (text) => {
          said = text;
          lines.close();
        });
      });
    },
  };
}

const interrupt = '\u0003';
const endOfInput = '\u0004';

/** A terminal that has gone away cannot be set to anything. */
function rawMode(input: NodeJS.ReadStream, isRaw: boolean): void {
  try {
    input.setRawMode?.(isRaw);
  } catch {
    // Then no key can come either.
  }
}
