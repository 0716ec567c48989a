// Preload: makes the disk under the journal fail. CRASH_AT: from which write or flush on, counted from 0.
// CRASH_HOW: `write` throws; `short` writes half, as a disk that fills up does, then throws; `sync` fails the flush.
// CRASH_CODE: what the disk says, EIO or ENOSPC.
const fs = require('node:fs');
const { basename } = require('node:path');

const { CRASH_AT, CRASH_HOW, CRASH_CODE } = process.env;
const { openSync, writeSync, fdatasync } = fs;
const journals = new Set();
const seen = { write: 0, sync: 0 };

const refusal = (call) => Object.assign(new Error(`${CRASH_CODE}: the disk said no, ${call}`), { code: CRASH_CODE });

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  const isRead = rest[0] === 'r' || (typeof rest[0] === 'number' && (rest[0] & 3) === fs.constants.O_RDONLY);
  if (basename(String(path)) === 'journal.jsonl' && !isRead) journals.add(fd);
  return fd;
};

fs.writeSync = (fd, data, offset, length, position) => {
  if (!journals.has(fd) || CRASH_HOW === 'sync') return writeSync(fd, data, offset, length, position);
  const number = seen.write++;
  if (number < Number(CRASH_AT)) return writeSync(fd, data, offset, length, position);
  if (CRASH_HOW === 'short' && number === Number(CRASH_AT)) return writeSync(fd, data, offset, length >> 1, position);
  throw refusal('write');
};

fs.fdatasync = (fd, callback) => {
  if (!journals.has(fd) || CRASH_HOW !== 'sync' || seen.sync++ < Number(CRASH_AT)) return fdatasync(fd, callback);
  setImmediate(() => callback(refusal('fdatasync')));
};
