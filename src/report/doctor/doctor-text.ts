import type { Finding, FindingStanding } from '../../model/finding.js';
import { type Paint, paint } from '../words/paint.js';
import { plural } from '../words/phrase.js';
import { symbols } from '../words/symbols.js';
import { findingWords } from './doctor-words.js';
import type { TellOptions } from './finding-words.js';

export interface DoctorTextOptions extends TellOptions {
  readonly color: boolean;
  /** Only what is not fine. */
  readonly quiet: boolean;
  readonly unicode?: boolean;
}

/** One screen: a line for each thing, and below what is not fine the command that mends it. */
export function doctorText(findings: readonly Finding[], options: DoctorTextOptions): string {
  const p = paint(options.color);
  const s = symbols(options.unicode ?? true);
  const signs: Record<FindingStanding, string> = {
    fine: p.green(s.passed),
    odd: p.yellow('!'),
    wrong: p.red(s.failed),
  };
  const shown = options.quiet ? findings.filter(({ standing }) => standing !== 'fine') : findings;
  const all = shown.map((finding) => ({ finding, words: findingWords(finding, options) }));
  const width = Math.max(0, ...all.map(({ words }) => words.label.length));
  const lines = all.flatMap(({ finding, words: { label, what, fix } }) => [
    `${signs[finding.standing]} ${label.padEnd(width)}  ${what}`,
    ...(fix === undefined || finding.standing === 'fine'
      ? []
      : [`  ${' '.repeat(width)}  ${p.dim(`${s.next} ${fix}`)}`]),
  ]);
  const end = options.quiet && shown.length === 0 ? [] : ['', summary(findings, p)];
  return [...lines, ...end].map((line) => `${line}\n`).join('');
}

function summary(findings: readonly Finding[], p: Paint): string {
  const [wrong, odd] = (['wrong', 'odd'] as const).map(
    (wanted) => findings.filter(({ standing }) => standing === wanted).length,
  );
  if (wrong === 0 && odd === 0) return p.bold('All is well here.');
  const parts = [
    ...(wrong === 0 ? [] : [`${plural(wrong!, 'thing')} ${wrong === 1 ? 'does' : 'do'} not work here`]),
    ...(odd === 0 ? [] : [`${plural(odd!, 'thing')} to know about`]),
  ];
  return p.bold(`${parts.join(', ')}.`);
}
