/**
 * One word of bash code that stands for exactly this text. The word holds no newline, because the warden is told one
 * command a line; NUL cannot be passed to a program at all and is refused before (`prepare-command`).
 */
export function quoteWord(text: string): string {
  if (/^[\w/.,:@%+-]+$/.test(text)) return text;
  if (!controlCharacter.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/[\x00-\x1f\x7f'\\]/g, octal)}'`;
}

const controlCharacter = /[\x00-\x1f\x7f]/;

const octal = (character: string): string => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
