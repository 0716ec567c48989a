import type { Change } from './changes.js';
import type { Judgement } from './judge.js';
import type { Reproduction } from './reproduce.js';

export interface Told {
  readonly metric: string;
  readonly better: 'lower' | 'higher';
  readonly baseline: string;
  readonly minEffect: number;
}

/** The whole answer in one line. */
export function sentence(judged: Judgement, { metric, better, baseline, minEffect }: Told): string {
  const { variant, verdict, reasons, improvement, interval, confidence, effect, seeds } = judged;
  const least = minEffect > 0 ? ` by more than ${short(minEffect)}` : '';
  const claim = `"${variant} has a ${better} ${metric} than ${baseline}${least}"`;
  if (interval === null) return `${claim}: ${verdict} (${reasons.join('; ')})`;
  const numbers = [
    `improvement ${signed(improvement!)}`,
    `${percent(confidence)} interval ${signed(interval[0])} to ${signed(interval[1])}`,
    `g ${signed(effect!)}`,
    `${seeds} seeds`,
    ...reasons,
  ];
  return `${claim}: ${verdict} (${numbers.join(', ')})`;
}

export function reproductionText(about: Reproduction): string {
  const { arm, reported, found, off, tolerance, missing = 0, runs, reproduced } = about;
  const how = `${short(found)} instead of the reported ${short(reported)}, ${percent(off)} off, ${percent(tolerance)} allowed`;
  const but = missing === 0 ? '' : `, and ${missing} of ${runs} runs are missing`;
  return `${arm} ${reproduced ? 'is reproduced' : 'is not reproduced'}: ${how}${but}`;
}

export interface More {
  /** Of the baseline, and of who was left out. */
  readonly about: readonly string[];
  readonly changes: ReadonlyMap<string, Change>;
}

/** To be read; the JSON holds every digit. */
export function markdown(told: Told, judged: readonly Judgement[], { about, changes }: More): string {
  const { metric, baseline, better } = told;
  const title =
    judged.length === 0 ? baseline : `${judged.map(({ variant }) => variant).join(', ')} against ${baseline}`;
  const lines = [`# ${metric}: ${title}`, ''];
  for (const line of about) lines.push(line, '');
  if (judged.length === 0) return lines.join('\n');
  for (const one of judged) {
    lines.push(`## ${one.variant}: ${one.verdict}`, '', sentence(one, told), '');
    const names = changes.get(one.variant)?.names ?? [];
    if (names.length > 0) lines.push(`It differs from ${baseline} in ${names.join(', ')}.`, '');
    for (const line of one.missing) lines.push(`- missing: ${line}`);
    if (one.missing.length > 0) lines.push('');
    if (one.pairs.length === 0) continue;
    lines.push(`| seed | ${baseline} | ${one.variant} | improvement |`, '| ---: | ---: | ---: | ---: |');
    for (const { seed, baseline: a, variant: b, improvement } of one.pairs)
      lines.push(`| ${seed} | ${short(a)} | ${short(b)} | ${signed(improvement)} |`);
    lines.push(
      `| mean | ${shownMean(one.baselineMean)} | ${shownMean(one.variantMean)} | ${one.improvement === null ? '' : signed(one.improvement)} |`,
      '',
    );
  }
  lines.push(
    `An improvement above zero is better: a ${better} ${metric}. The interval is the wider one, at either end, of Student's and of the`,
    'bias-corrected bootstrap; the whole of it decides. A run that failed is missing and is never counted as a number.',
    '',
  );
  return lines.join('\n');
}

/** With a true minus: beside signed numbers a hyphen would be a second kind. */
const short = (value: number): string => String(Number(value.toPrecision(5))).replace(/^-/, '−');

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${short(Math.abs(value))}`;

const percent = (share: number): string => `${Number((100 * share).toFixed(2))} %`;

const shownMean = (value: number | null): string => (value === null ? '' : short(value));
