/**
 * Whether a text does anything. A file that holds nothing but headers, imports, comments and promises is a stub; one line that
 * does something makes it none, because who wants more can say so with min_lines, contains and exports.
 */
export function isStub(text: string): boolean {
  const lines = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/("""|''')[\s\S]*?\1/g, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.every((line) => empty.some((pattern) => pattern.test(line)));
}

const empty: readonly RegExp[] = [
  /^(?:#|\/\/|--|;|%)/,
  /^[\s{}()[\];,:]*$/,
  /^(?:from\s+\S+\s+import|import|export\s+\{|require\(|use\s+\w|using\s+\w|package\s+\w|#include)/,
  /^(?:async\s+)?(?:def|class|function)\b[^=]*[:{]\s*\}?$/,
  /^export\s+(?:default\s+)?(?:async\s+)?(?:class|function)\b[^=]*\{\s*\}?$/,
  /^(?:pass|\.\.\.|return|return\s+(?:null|undefined|None|\{\}|\[\]))\s*;?$/,
  /^(?:raise|throw)\b.*not.?implemented/i,
  /^[-*\s]*(?:TODO|FIXME|TBD|XXX)\b/,
  /^[-*\s]*(?:placeholder|coming soon|not implemented|lorem ipsum|to be (?:done|written|filled))\b/i,
];

/** Lines with something in them. */
export const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length;
