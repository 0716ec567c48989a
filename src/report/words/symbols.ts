/** The signs in front of lines, with a form for terminals that know only ASCII. */
export interface Symbols {
  readonly run: string;
  readonly passed: string;
  readonly cached: string;
  readonly failed: string;
  readonly skipped: string;
  readonly waiting: string;
  readonly retrying: string;
  readonly gate: string;
  readonly warning: string;
  readonly next: string;
  readonly bar: string;
  readonly times: string;
  readonly in: string;
  readonly range: string;
  readonly more: string;
  readonly dot: string;
  readonly newline: string;
  readonly full: string;
  readonly empty: string;
}

export const symbols = (unicode: boolean): Symbols => (unicode ? unicodeSymbols : asciiSymbols);

const unicodeSymbols: Symbols = {
  run: '▶',
  passed: '✓',
  cached: '≡',
  failed: '✗',
  skipped: '○',
  waiting: '·',
  retrying: '↻',
  gate: '◆',
  warning: '⚠',
  next: '→',
  bar: '│',
  times: '×',
  in: '∈',
  range: '…',
  more: '…',
  dot: '·',
  newline: '↵',
  full: '━',
  empty: '─',
};

const asciiSymbols: Symbols = {
  run: '>',
  passed: '+',
  cached: '=',
  failed: 'x',
  skipped: 'o',
  waiting: '.',
  retrying: '~',
  gate: '?',
  warning: '!',
  next: '->',
  bar: '|',
  times: 'x',
  in: 'in',
  range: '..',
  more: '...',
  dot: '-',
  newline: '\\n',
  full: '#',
  empty: '-',
};
