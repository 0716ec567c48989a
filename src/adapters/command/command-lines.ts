import { lineLength, readLine } from './warden-script.js';

/** What is sent to a slot so that its child evaluates `code`, which is one line of ASCII (`quote-word`). */
export function commandLines(code: string): string {
  if (code.length < lineLength) return lineOf(code);
  return `${lineOf(`${readLine} ${code.length + 1}||exit 255;eval "$_ar_line"`)}${code}\n`;
}

const lineOf = (code: string): string => `${code.padEnd(lineLength - 1)}\n`;
