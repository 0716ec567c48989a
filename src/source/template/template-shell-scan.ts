import { readExpansion } from './template-shell-expansion.js';
import {
  type ArithmeticFrame,
  type BraceFrame,
  type Frame,
  isQuoting,
  isWaiting,
  nextTail,
  opaque,
  openedFrame,
  type PlainFrame,
  plainFrame,
  quoteFrame,
  type Tail,
  tailOf,
  unsureAfter,
} from './template-shell-frame.js';
import { endsInBackslash, HereBody, readHereOperator } from './template-shell-here.js';
import { type Placement, placementAt } from './template-shell-placement.js';

/**
 * Reads shell text as a POSIX shell would and says, at any point, how a value may be put in there. It does not check the
 * text: where shells disagree, or it cannot tell, it says so and only values without any special character may stand.
 */
export class ShellScanner {
  #stack: Frame[] = [plainFrame(false)];
  #tail: Tail = 'none';
  /** Set once the text could be read in more than one way; nothing after it is certain any more. */
  #lost: string | undefined;
  #escaping = false;
  /** Marks of the values that turned a line of a here-document into its end. */
  readonly clashes: number[] = [];

  /** Takes the next stretch of literal text. It must be complete: what follows is a value or the end. */
  feed(text: string): void {
    for (let at = 0; at < text.length && this.#lost === undefined; ) at = this.#step(text, at);
    if (this.#lost === undefined) return;
    // All that is still looked at: whether the text would swallow the next value.
    this.#escaping = endsInBackslash(text);
    this.#tail = tailOf(text.replaceAll('\\\n', ''));
  }

  /** How a value may be put in at this point. */
  placement(): Placement {
    if (this.#escaping) return { kind: 'never', where: 'directly after a backslash' };
    return placementAt({ stack: this.#stack, tail: this.#tail, lost: this.#lost });
  }

  /** Says that a value was put in: as it is, or in quotes. `mark` names it in `clashes`. */
  inserted(text: string, { bare, mark }: { readonly bare: boolean; readonly mark: number }): void {
    this.#tail = 'none';
    this.#escaping = false;
    const frame = this.#top;
    if (frame.kind === 'plain') frame.word += bare ? text : opaque;
    if (frame.kind === 'here') {
      frame.line += text;
      frame.marks.push(mark);
    }
  }

  /** At the end of all text: whether every quote and bracket was closed. */
  isClosed(): boolean {
    const frame = this.#top;
    if (this.#lost !== undefined) return true;
    if (frame.kind === 'here') this.#endLine(frame);
    if (this.#top.kind === 'comment') this.#stack.pop();
    const [base] = this.#stack;
    return this.#top === base && base.kind === 'plain' && base.pending.length === 0 && !this.#escaping;
  }

  get #top(): Frame {
    return this.#stack.at(-1)!;
  }

  #step(text: string, at: number): number {
    const char = text[at]!;
    const frame = this.#top;
    const tail = this.#tail;
    this.#tail = nextTail(tail, char);
    if (char === '\\' && frame.kind !== 'single' && frame.kind !== 'comment' && frame.kind !== 'here') {
      return this.#backslash(text, at, tail);
    }
    if (char === '\n' && frame.kind !== 'plain' && frame.kind !== 'here' && frame.kind !== 'comment') this.#crossLine();
    switch (frame.kind) {
      case 'plain':
        return this.#inPlain(frame, text, at);
      case 'double':
        if (char === '"') return this.#pop(at + 1);
        return this.#expansion(text, at) ?? at + 1;
      case 'single':
      case 'ansi':
        return char === "'" ? this.#pop(at + 1) : at + 1;
      case 'backtick':
        if (char === '$') this.#tail = 'dollar';
        return char === '`' ? this.#pop(at + 1) : at + 1;
      case 'comment':
        return char === '\n' ? this.#pop(at) : at + 1;
      case 'brace':
        return this.#inBrace(frame, text, at);
      case 'arithmetic':
        return this.#inArithmetic(frame, text, at);
      case 'here':
        return this.#inHere(frame, text, at);
    }
  }

  #backslash(text: string, at: number, tail: Tail): number {
    const next = text[at + 1];
    const frame = this.#top;
    if (next === undefined) {
      this.#escaping = true;
      return at + 1;
    }
    if (frame.kind === 'ansi' && next === "'") return this.#lose("after \\' inside $'…'");
    if (next === '\n' && frame.kind !== 'ansi' && frame.kind !== 'backtick') {
      // The shell joins the lines before it looks at what stands there, so two halves of an operator may meet.
      if (/[$(<)]/.test(text[at - 1] ?? '')) return this.#lose('after an operator that is broken over two lines');
      this.#crossLine();
      this.#tail = tail;
      return at + 2;
    }
    if (frame.kind === 'plain') frame.word += opaque;
    return at + 2;
  }

  #inPlain(frame: PlainFrame, text: string, at: number): number {
    const char = text[at]!;
    if (char === '#' && frame.word === '') return this.#push({ kind: 'comment' }, at + 1);
    if (char === "'" || char === '"') return this.#push(quoteFrame(char), at + 1);
    const expanded = this.#expansion(text, at);
    if (expanded !== undefined) return expanded;
    if (!/[ \t\n;&|()<>]/.test(char)) {
      frame.word += char;
      return at + 1;
    }
    const unsure = unsureAfter(frame.word, this.#stack);
    if (unsure !== undefined) return this.#lose(unsure);
    if (frame.word !== '') frame.code.word(frame.word);
    frame.word = '';
    if (/[\n;&|()]/.test(char)) frame.code.end();
    if (char === '\n') return this.#newline(frame, at + 1);
    // Arithmetic in some shells, two subshells in others.
    if (text.startsWith('((', at)) return this.#lose('after ((');
    if (char === '(') frame.parens += 1;
    if (char === ')') return this.#closeParen(frame, at + 1);
    if (text.startsWith('<<<', at)) return at + 3;
    if (text.startsWith('<<', at)) return this.#hereOperator(frame, text, at);
    return at + 1;
  }

  #closeParen(frame: PlainFrame, next: number): number {
    if (frame.parens > 0) frame.parens -= 1;
    else if (frame.substitution && isWaiting(frame)) return this.#lose('after a here-document without a body');
    else if (frame.substitution) this.#stack.pop();
    return next;
  }

  /** What `$` and backticks begin, in every place where they are read. */
  #expansion(text: string, at: number): number | undefined {
    const char = text[at]!;
    if (char === '`') return this.#push({ kind: 'backtick' }, at + 1);
    if (char !== '$') return undefined;
    const frame = this.#top;
    if (frame.kind === 'plain') frame.word += opaque;
    const found = readExpansion(text, at, isQuoting(frame));
    if (found.kind === 'unsure') return this.#lose(found.where);
    if (found.kind === 'dollar') this.#tail = 'dollar';
    const opened = openedFrame(found.kind, isQuoting(frame));
    return opened ? this.#push(opened, found.next) : found.next;
  }

  #inBrace({ quoted }: BraceFrame, text: string, at: number): number {
    const char = text[at]!;
    if (char === '}') return this.#pop(at + 1);
    if (char === "'" || char === '"') {
      if (quoted) return this.#lose('after quotes inside a quoted parameter expansion');
      return this.#push(quoteFrame(char), at + 1);
    }
    return this.#expansion(text, at) ?? at + 1;
  }

  #inArithmetic(frame: ArithmeticFrame, text: string, at: number): number {
    const char = text[at]!;
    if (char === '(') frame.parens += 1;
    if (char === ')') {
      if (frame.parens > 0) frame.parens -= 1;
      else return text[at + 1] === ')' ? this.#pop(at + 2) : this.#lose('after $(( that is not arithmetic');
    }
    if (char === "'" || char === '"') return this.#lose('after quotes inside $((…))');
    return this.#expansion(text, at) ?? at + 1;
  }

  #hereOperator(frame: PlainFrame, text: string, at: number): number {
    const found = readHereOperator(text, at);
    if (!found) return this.#lose('after a here-document with an unusual end word');
    frame.pending.push(found.document);
    return found.next;
  }

  #newline(frame: PlainFrame, next: number): number {
    if (frame.pending.length === 0) {
      this.#crossLine();
      return next;
    }
    return this.#push(new HereBody(frame.pending.splice(0)), next);
  }

  #inHere(frame: HereBody, text: string, at: number): number {
    const char = text[at]!;
    if (char === '$') this.#tail = 'dollar';
    if (char !== '\n') frame.line += char;
    else if (endsInBackslash(frame.line)) return this.#lose('after a joined line of a here-document');
    else this.#endLine(frame);
    return at + 1;
  }

  #endLine(frame: HereBody): void {
    this.clashes.push(...frame.endLine());
    if (frame.isRead) this.#stack.pop();
  }

  /** Shells disagree about where a here-document begins when its line goes on inside quotes or brackets. */
  #crossLine(): void {
    if (this.#stack.some(isWaiting)) this.#lose('after a here-document whose line is continued');
  }

  #push(frame: Frame, next: number): number {
    const outer = this.#top;
    if (outer.kind === 'plain' && frame.kind !== 'here' && frame.kind !== 'comment') outer.word += opaque;
    this.#stack.push(frame);
    return next;
  }

  #pop(next: number): number {
    this.#stack.pop();
    return next;
  }

  #lose(where: string): number {
    this.#lost ??= where;
    return Number.POSITIVE_INFINITY;
  }
}
