import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptFolder } from '../../model/ports.js';
import { tailLines } from '../command/last-line.js';
import { appendPlain, openPlain } from '../disk/plain-file.js';

/**
 * Brings what a job writes in its own folder into the logs of the attempt that waits for it, where everybody looks. They are
 * there from the beginning: a job that said nothing, or has not begun, leaves empty logs and not none.
 */
export function followLogs(dir: string, folder: AttemptFolder): { copy(): void; lines(): readonly string[] } {
  const streams = [
    { from: join(dir, 'stdout.log'), to: folder.stdoutFile, at: 0 },
    { from: join(dir, 'stderr.log'), to: folder.stderrFile, at: 0 },
  ];
  for (const { to } of streams) appendPlain(to, room.subarray(0, 0));
  return {
    copy() {
      for (const stream of streams) stream.at = copyFrom(stream);
    },
    lines: () => streams.flatMap(({ from }) => tailLines(from, mostLines)),
  };
}

const mostLines = 200;
const room = Buffer.alloc(256 * 1024);

/** Answers with how far it is now. */
function copyFrom({ from, to, at }: { readonly from: string; readonly to: string; readonly at: number }): number {
  const fd = openPlain(from);
  if (fd === undefined) return at;
  try {
    for (let position = at; ; ) {
      const length = readSync(fd, room, 0, room.length, position);
      if (length === 0) return position;
      appendPlain(to, room.subarray(0, length));
      position += length;
    }
  } finally {
    closeSync(fd);
  }
}
