import type { Finding } from 'autoresearch';

export interface Verdict {
  readonly stage: string;
  readonly findings: readonly Finding[];
  /** How often somebody has tried to close gaps. */
  readonly rounds: number;
}

export const gapsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter((finding) => !finding.holds);

export const scoreOf = (findings: readonly Finding[]): string =>
  `${findings.filter((finding) => finding.holds).length}/${findings.length}`;

export const gapText = ({ what, detail }: Finding): string => `${what}: ${detail}`;

/** VERIFICATION.md: for programs at the top, for people below. The same findings give the same bytes. */
export function reportText({ stage, findings, rounds }: Verdict): string {
  const gaps = gapsOf(findings);
  return [
    '---',
    `status: ${gaps.length === 0 ? 'passed' : 'gaps_found'}`,
    `score: ${scoreOf(findings)}`,
    `stage: ${JSON.stringify(stage)}`,
    `closure_rounds: ${rounds}`,
    ...(gaps.length === 0 ? ['gaps: []'] : ['gaps:', ...gaps.map((one) => `  - ${JSON.stringify(gapText(one))}`)]),
    '---',
    '',
    `# Verification: ${scoreOf(findings)} ${gaps.length === 0 ? 'passed' : 'gaps found'}`,
    '',
    '| | kind | must have | seen |',
    '|---|---|---|---|',
    ...findings.map(
      ({ kind, what, detail, holds }) => `| ${holds ? '✓' : '✗'} | ${kind} | ${cell(what)} | ${cell(detail)} |`,
    ),
    '',
  ].join('\n');
}

/** Nothing that somebody else wrote may end a cell, a line or the table. */
const cell = (text: string): string =>
  text
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .trim();
