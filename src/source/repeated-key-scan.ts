/** What matters of a module's text: comments, strings, brackets, words, and what stands around keys. */
const piece =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|[{}[\]():,`/]|[\w$\u0080-\uffff]+|[^\s\w$]/g;
const templateText = /(?:\\[\s\S]|[^`\\$]|\$(?!\{))*/y;

type Frame = Set<string> | 'brackets' | 'template';

/**
 * Whether a key may stand twice in one pair of braces. Wrong only in one direction: where it cannot tell, or takes a type or a
 * block for an object, it says yes, and somebody has to look closely. A hundred times as fast as that.
 */
export function mayRepeatKey(text: string): boolean {
  const stack: Frame[] = [new Set()];
  let before = '';
  /** A word where a key can stand; the next piece says whether it is one. */
  let word: string | undefined;
  for (piece.lastIndex = 0; ; ) {
    const [token] = piece.exec(text) ?? [];
    if (token === undefined) return stack.length !== 1;
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    // A division, or a regular expression, which may hold anything.
    if (token === '/' || (/^['"]/.test(token) && token.includes('\\'))) return true;
    const frame = stack.at(-1)!;
    if (word !== undefined && /^[:,}(]$/.test(token) && frame instanceof Set && addsTwice(frame, word)) return true;
    const isWord = /^['"\w$\u0080-\uffff]/.test(token);
    word = isWord && (before === '{' || before === ',') ? token.replace(/^['"](.*)['"]$/s, '$1') : undefined;
    before = token;
    if (token === '{') stack.push(new Set());
    else if (token === '[' || token === '(') stack.push('brackets');
    else if (token === '`' || (token === '}' && frame === 'template')) {
      if (token === '}') stack.pop();
      if (!skipTemplate(text, stack)) return true;
    } else if (/^[}\])]$/.test(token)) stack.pop();
    if (stack.length === 0) return true;
  }
}

function addsTwice(keys: Set<string>, key: string): boolean {
  if (keys.has(key)) return true;
  keys.add(key);
  return false;
}

/** To the end of a template, or to the expression inside of it. */
function skipTemplate(text: string, stack: Frame[]): boolean {
  templateText.lastIndex = piece.lastIndex;
  templateText.test(text);
  const end = templateText.lastIndex;
  const opens = text.startsWith('${', end);
  piece.lastIndex = end + (opens ? 2 : 1);
  if (opens) stack.push('template');
  return opens || text[end] === '`';
}
