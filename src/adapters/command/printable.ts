/** A program's output as text that does nothing to a terminal: no escape sequences, control or direction characters. */
export const printable = (text: string): string =>
  text.replace(escapeSequence, '').replaceAll('\t', ' ').replace(invisible, '');

/**
 * Control sequences (colours, cursor), strings (titles, links) up to their end, and the short ones; whole or cut off.
 * Every part that can match does, so the time is linear in the length of the text.
 */
const escapeSequence =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;

/** C0 and C1 controls, and the marks with which text can be shown in another order than it is written. */
const invisible = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
