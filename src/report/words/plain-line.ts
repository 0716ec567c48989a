/**
 * Text that programs wrote, made safe for one line of a terminal: no colours, no cursor movements, no bells. Of a line
 * that was written over itself (a progress bar) only the last state is kept.
 */
export function plainLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const trimmed = text.replace(/[\r\n]+$/, '');
  return trimmed
    .slice(trimmed.lastIndexOf('\r') + 1)
    .replace(escapeSequence, '')
    .replaceAll('\t', '    ')
    .replace(control, '');
}

/** Control sequences, operating system commands (titles, links) and the short escapes. */
const escapeSequence =
  /[\u001B\u009B](?:\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|\[?[0-?]*[ -/]*[@-~])/g;

/** What is left of control characters, and the marks that reverse the direction of reading. */
const control = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;
