/**
 * One word of bash code that stands for exactly this text. The word is ASCII without control characters: the warden is
 * told one command a line and how many characters it has, and how many bytes a character has depends on the user's
 * language. NUL cannot be passed to a program at all and is refused before (`prepare-command`).
 */
export function quoteWord(text: string): string {
  if (/^[\w/.,:@%+-]+$/.test(text)) return text;
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${Buffer.from(text)
    .toString('latin1')
    .replace(/[^ -&(-[\]-~]/g, octal)}'`;
}

const octal = (byte: string): string => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
