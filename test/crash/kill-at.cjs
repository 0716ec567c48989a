// Preload (`node --require`): kills this process around one record of the journal, as a power cut would.
// CRASH_AT: the number of the record, counted from 0 over all that this process writes; absent: only say who we are.
// CRASH_FILE: the name of the file that holds the records; `journal.jsonl` unless stated.
// CRASH_ONLY: a pattern for the records that count; all unless stated.
// CRASH_HOW: `before` it is written, with half of its bytes written (`torn`), or `after`.
const fs = require('node:fs');
const { basename } = require('node:path');

const { CRASH_AT, CRASH_HOW, CRASH_FILE = 'journal.jsonl', CRASH_ONLY = '' } = process.env;
delete process.env.CRASH_AT;
delete process.env.CRASH_FILE;
delete process.env.CRASH_HOW;
delete process.env.CRASH_ONLY;
// A task can kill its runner too.
process.env.CRASH_RUNNER = String(process.pid);

const { openSync, writeSync } = fs;
const journals = new Set();
const counted = new RegExp(CRASH_ONLY);
let seen = 0;

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  // Whoever only reads may have a number that a file to be written has after it.
  const isRead = rest[0] === 'r' || (typeof rest[0] === 'number' && (rest[0] & 3) === fs.constants.O_RDONLY);
  if (basename(String(path)) === CRASH_FILE && !isRead) journals.add(fd);
  return fd;
};

fs.writeSync = (fd, data, offset, length, position) => {
  if (!journals.has(fd) || CRASH_AT === undefined) return writeSync(fd, data, offset, length, position);
  for (let start = offset; start < offset + length; ) {
    const end = data.indexOf(0x0a, start) + 1 || offset + length;
    const counts = counted.test(data.subarray(start, end).toString());
    if (counts && seen === Number(CRASH_AT)) {
      const until = { before: start, torn: (start + end) >> 1, after: end }[CRASH_HOW];
      if (until > offset) writeSync(fd, data, offset, until - offset, position);
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    }
    if (counts) seen += 1;
    start = end;
  }
  return writeSync(fd, data, offset, length, position);
};
