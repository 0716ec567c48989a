import { closeSync, openSync } from 'node:fs';
import { isatty } from 'node:tty';

const atStart = [0, 1, 2].filter((fd) => isatty(fd));

/**
 * Node sets the terminal back when it exits, and aborts when there is none any more, as after its window was closed:
 * then the exit code would be lost. What no longer is the file from the start it leaves alone.
 */
export function leaveLostTerminal(): void {
  for (const fd of atStart) {
    if (isatty(fd)) continue;
    try {
      closeSync(fd);
      // The lowest free descriptor is the one just closed.
      openSync('/dev/null', 'r+');
    } catch {
      // Closed already: there is nothing to set back.
    }
  }
}
