import type { ReportTarget } from './report-target.js';

/** Lines at the bottom of the terminal that can be drawn over. */
export interface Rows {
  /** Shows these lines in place of those before. More than there are slots are not shown. */
  draw(lines: readonly string[]): void;
  /** Takes the lines away and gives the cursor back. Nothing is written afterwards. */
  close(): Promise<void>;
}

/**
 * The one door to listr2, used as a view only: it never learns what a task is, cannot fail, retry or catch a signal.
 *
 * A row of listr2 can be added but never removed, and a list taller than the terminal breaks. So there is a fixed number
 * of rows, slots, that all wait for the same promise; what a slot shows is its title, and an empty title takes no line.
 * Setting a title by listr2's setter draws the whole list each time; here all titles are set first and drawn once.
 */
export async function openRows(target: ReportTarget, slots: number): Promise<Rows> {
  const { DefaultRenderer, Listr, ListrEventType, ListrLogger, ProcessOutput } = await import('listr2');

  /** Lines come cut to the width of the target. The renderer would cut them to that of stdout, which may be a pipe. */
  class SlotRenderer extends DefaultRenderer {
    static override nonTTY = true;

    /** Many things make listr2 draw, the start and the end of each row among them. Here only `draw` does. */
    override update(): void {
      if (asked) super.update();
    }

    protected override format(message: string): string[] {
      return message.trim() === '' ? [] : [message];
    }
  }

  let asked = false;
  let closed = false;
  const stream = liveStream(target);

  /** Writes to the target and leaves process.stdout and process.stderr as they are; listr2 would keep what others write. */
  class TargetOutput extends ProcessOutput {
    override get stdout(): NodeJS.WriteStream {
      return stream;
    }

    override hijack(): void {
      stream.write(hideCursor);
    }

    override release(): void {
      stream.write(showCursor);
    }
  }

  const ready = signal();
  const finished = signal();
  const slot = {
    title: ' ',
    task: (): Promise<void> => {
      ready.give();
      return finished.given;
    },
  };
  const list = new Listr(
    Array.from({ length: slots }, () => slot),
    {
      concurrent: true,
      exitOnError: false,
      registerSignalListeners: false,
      renderer: SlotRenderer,
      rendererOptions: {
        lazy: true,
        clearOutput: true,
        logger: new ListrLogger({ processOutput: new TargetOutput() }),
      },
    },
  );
  const over = list.run();
  await Promise.race([ready.given, over]);

  return {
    draw(lines) {
      if (closed) return;
      for (const [index, row] of list.tasks.entries()) row.title = lines[index] ?? '';
      asked = true;
      list.events.emit(ListrEventType.SHOULD_REFRESH_RENDER);
      asked = false;
    },
    async close() {
      closed = true;
      finished.give();
      await over;
    },
  };
}

/** A promise and the way to keep it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

const hideCursor = '\u001B[?25l';
const showCursor = '\u001B[?25h';

/** What listr2 needs of a stream. Sizes are asked for anew each time, so that it follows a window that is resized. */
function liveStream(target: ReportTarget): NodeJS.WriteStream {
  const stream = {
    write(text: string): boolean {
      target.write(text);
      return true;
    },
    get columns(): number {
      return target.columns();
    },
    get rows(): number {
      return target.rows();
    },
  };
  return stream as unknown as NodeJS.WriteStream;
}
