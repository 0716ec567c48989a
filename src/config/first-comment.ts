/** The comment that a file begins with, without its marks; lines for editors are no part of it. Empty where there is none. */
export function firstComment(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => !/^(#|\/\/) yaml-language-server:|^#!/.test(line));
  const start = lines.findIndex((line) => line.trim() !== '');
  const block = /^\s*\/\*/.test(lines[start] ?? '') ? inBlock : lineMarks.find((mark) => mark.test(lines[start] ?? ''));
  if (!block) return '';
  const words: string[] = [];
  for (const line of lines.slice(start)) {
    if (!block.test(line)) break;
    words.push(line.replace(/^\s*(\/\*\*?|\*\/| \*|#|\/\/) ?/, '').replace(/ ?\*\/\s*$/, ''));
    if (block === inBlock && line.includes('*/')) break;
  }
  return words.join('\n').replace(/^\s*\n|\s+$/g, '');
}

const lineMarks = [/^#/, /^\/\//];
const inBlock = /^/;

/** The first line of it. */
export const summaryLine = (comment: string): string => comment.split('\n')[0]!.trim();
