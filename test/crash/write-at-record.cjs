// Preload (`node --require`): writes a file as soon as a record is in the journal, as somebody does who was left behind and watches it.
// WRITE_AT: a piece of the record; WRITE_FILE: the file, which then holds `1`.
const fs = require('node:fs');

const { WRITE_AT, WRITE_FILE } = process.env;
const { writeSync } = fs;
let isDone = false;

fs.writeSync = (fd, data, ...rest) => {
  const end = writeSync(fd, data, ...rest);
  if (!isDone && Buffer.isBuffer(data) && data.includes(WRITE_AT)) {
    isDone = true;
    fs.writeFileSync(WRITE_FILE, '1\n');
  }
  return end;
};
