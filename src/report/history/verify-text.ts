import type { Check, CheckKind, Verification } from '../../model/gates/check.js';
import { type LoopStanding, type LoopUnknown, loopStandingLines } from '../iterations/loop-standing.js';
import { type Paint, paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { plainLine } from '../words/plain-line.js';
import { type Symbols, symbols } from '../words/symbols.js';
import { padEnd } from '../words/text-width.js';

interface VerifyStyle {
  readonly color: boolean;
  readonly unicode?: boolean;
  /** Every check, instead of a number where many of a kind passed. */
  readonly verbose: boolean;
  /** Only what failed. */
  readonly quiet: boolean;
  /** Of a run that is an iteration. */
  readonly loop?: LoopStanding | LoopUnknown;
}

/** The contract of `verify --json`. */
export function verifyJson({ run, outcome, checks }: Verification, loop?: LoopStanding | LoopUnknown): object {
  return {
    outcome,
    run,
    checks: checks.map(({ id, kind, status, detail }) => ({ id, kind, status, detail })),
    passed: checks.filter(({ status }) => status === 'passed').length,
    failed: checks.filter(({ status }) => status === 'failed').length,
    loop: loop ?? null,
  };
}

/** One line for each check that failed, and for each kind of which all passed. */
export function verifyText({ run, outcome, checks }: Verification, style: VerifyStyle): string {
  const p = paint(style.color);
  const s = symbols(style.unicode ?? true);
  const bad = checks.filter(({ status }) => status === 'failed').length;
  const head = headOf(outcome, { run, p, s });
  const lines = kindsOf(checks).flatMap((kind) => {
    const ofKind = checks.filter((check) => check.kind === kind);
    const shown = ofKind.filter(
      ({ status, isNotice }) => status === 'failed' || style.verbose || (isNotice && !style.quiet),
    );
    const folded = ofKind.filter((check) => !shown.includes(check));
    return [
      ...shown.map((check) => checkLine(check, { p, s })),
      ...(style.quiet || folded.length === 0 ? [] : [foldedLine(kind, folded, { p, s })]),
    ];
  });
  if (style.quiet && bad === 0) return '';
  const sum =
    bad === 0 ? `${plural(checks.length, 'check')} passed` : `${bad} of ${plural(checks.length, 'check')} failed`;
  const loop = style.loop && !style.quiet ? loopStandingLines(style.loop) : [];
  return `${[head, ...loop.map((line) => `  ${plainLine(line)}`), ...lines, '', bad === 0 ? p.green(sum) : p.red(sum)].join('\n')}\n`;
}

interface Style {
  readonly p: Paint;
  readonly s: Symbols;
}

function headOf(outcome: Verification['outcome'], { run, p, s }: Style & { readonly run: string }): string {
  if (outcome === 'passed') return `${p.green(s.passed)} ${p.bold(`run ${run} stands`)}`;
  if (outcome === 'failed') return `${p.red(s.failed)} ${p.bold(`run ${run} does not stand`)}`;
  return `${p.red(s.failed)} ${p.bold(`run ${run} was tampered with`)}`;
}

const kindsOf = (checks: readonly Check[]): CheckKind[] => [...new Set(checks.map(({ kind }) => kind))];

function checkLine({ id, kind, status, detail }: Check, style: Style): string {
  const name = id === kind ? '' : `${id.slice(kind.length + 1)}: `;
  return line(kind, `${name}${detail}`, { ...style, isBad: status === 'failed' });
}

function foldedLine(kind: CheckKind, checks: readonly Check[], style: Style): string {
  if (checks.length === 1) return checkLine(checks[0]!, style);
  return line(kind, foldedWords[kind](checks.length), { ...style, isBad: false });
}

/** Total on purpose: a kind without words does not compile. */
const foldedWords: Record<CheckKind, (count: number) => string> = {
  journal: (count) => `${count} parts hold together`,
  end: () => 'the journal ends where the run ended',
  plan: (count) => `${count} plans are those of the run`,
  task: (count) => `${count} tasks ended as they should`,
  output: (count) => `${count} files are as they were made`,
  input: (count) => `what ${count} tasks read is as it was`,
  source: (count) => `${count} files that numbers were taken from were made by the run`,
  parity: (count) => `${count} comparisons are between equals`,
  assert: (count) => `the assertions of ${count} tasks hold`,
  protected: (count) => `${count} parts are as they were`,
  ledger: (count) => `${count} ledgers agree with the journal`,
  log: (count) => `the logs of ${count} attempts are there`,
  call: (count) => `what ${count} calls were asked, answered and printed is as it was`,
  gate: (count) => `${count} decisions hold`,
  report: (count) => `${count} files say what journal and results say`,
  loop: () => 'the record holds together, what was changed is there, and the best is what was kept',
};

function line(kind: CheckKind, words: string, { p, s, isBad }: Style & { readonly isBad: boolean }): string {
  const sign = isBad ? p.red(s.failed) : p.green(s.passed);
  // Names of files are in it, and whoever made them may have meant the terminal.
  return `  ${sign} ${isBad ? padEnd(kind, 9) : p.dim(padEnd(kind, 9))}  ${plainLine(words)}`;
}
