/** A `<<END` whose body is still to come. */
export interface HereDocument {
  readonly end: string;
  readonly stripTabs: boolean;
}

/** Reads `<<END` or `<<-'END'`. Undefined when the end word is anything but plain, or is not all there. */
export function readHereOperator(text: string, at: number): { document: HereDocument; next: number } | undefined {
  const operator = /<<(-?)[ \t]*(?:'([\w.+-]+)'|"([\w.+-]+)"|([\w.+-]+))(?=[ \t\n;&|<>)])/y;
  operator.lastIndex = at;
  const match = operator.exec(text);
  if (!match) return undefined;
  const [, dash, single, double, bare] = match;
  return { document: { end: (single ?? double ?? bare)!, stripTabs: dash === '-' }, next: operator.lastIndex };
}

/** The bodies of the here-documents that one line announced, read line by line. */
export class HereBody {
  readonly kind = 'here';
  line = '';
  /** The values that stand in the line. */
  marks: number[] = [];
  #queue: HereDocument[];

  constructor(queue: HereDocument[]) {
    this.#queue = queue;
  }

  /** True once every body has come to its end. */
  get isRead(): boolean {
    return this.#queue.length === 0;
  }

  /** Ends the line. Gives the values in it when it turned out to be an end word, which no value may make. */
  endLine(): readonly number[] {
    const { line, marks } = this;
    this.line = '';
    this.marks = [];
    const [document] = this.#queue;
    if (!document || (document.stripTabs ? line.replace(/^\t+/, '') : line) !== document.end) return [];
    this.#queue.shift();
    return marks;
  }
}

/** A backslash that is not itself escaped: it takes away the meaning of whatever follows. */
export const endsInBackslash = (text: string): boolean => /(?:^|[^\\])(?:\\\\)*\\$/.test(text);
