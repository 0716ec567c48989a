// Whoever opens a journal is told that there is none to be had, to show that nobody needs it.
const fs = require('node:fs');
const { openSync } = fs;
fs.openSync = (path, ...rest) => {
  if (String(path).endsWith('journal.jsonl')) throw new Error('the journal was opened');
  return openSync(path, ...rest);
};
