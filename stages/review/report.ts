import type { HealthReply } from 'autoresearch';
import type { Validation } from './validations.js';

/** A review together with what the commands said: who reviews cannot talk a failed one away. */
export interface Health extends HealthReply {
  readonly said: HealthReply['verdict'];
}

export function healthOf(reply: HealthReply, validations: readonly Validation[]): Health {
  const broken = validations.filter(({ ok }) => !ok).map(({ run, detail }) => `\`${run}\` ${detail}`);
  if (broken.length === 0) return { ...reply, said: reply.verdict };
  return { ...reply, said: reply.verdict, verdict: 'CRITICAL', issues: [...broken, ...reply.issues] };
}

interface Round {
  readonly health: Health;
  readonly validations: readonly Validation[];
  readonly rounds: number;
  readonly reviewer: string;
}

/** REVIEW.md: for programs at the top, for people below. */
export function reportText({ health, validations, rounds, reviewer }: Round): string {
  const { verdict, said, fidelity, issues, risks, confidence } = health;
  return [
    '---',
    `verdict: ${verdict}`,
    `fidelity: ${fidelity}`,
    `confidence: ${confidence}`,
    `reviewer: ${JSON.stringify(reviewer)}`,
    `fix_rounds: ${rounds}`,
    '---',
    '',
    `# Review: ${verdict}`,
    '',
    ...(said === verdict ? [] : [`The reviewer said ${said}; a command that has to pass did not.`, '']),
    `Plan fidelity ${fidelity}, confidence ${confidence}.`,
    '',
    ...listing('Issues', issues),
    ...listing('Risks', risks),
    ...listing(
      'Validation',
      validations.map(({ run, ok, detail }) => `${ok ? '✓' : '✗'} \`${run}\`${ok ? '' : ` ${detail}`}`),
    ),
  ].join('\n');
}

const listing = (title: string, items: readonly string[]): string[] => [
  `## ${title}`,
  '',
  ...(items.length === 0 ? ['None.'] : items.map((item) => `- ${oneLine(item)}`)),
  '',
];

/** What a model wrote must not begin a heading or another item. */
const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim();

export function summaryText({ verdict, fidelity, confidence, issues }: Health, rounds: number): string {
  const after = rounds === 0 ? '' : `, after ${rounds === 1 ? 'one round' : `${rounds} rounds`} of mending`;
  const told = issues.length === 0 ? '' : `: ${issues.map(oneLine).join('; ')}`;
  return `${verdict}, plan fidelity ${fidelity}, confidence ${confidence}${after}${told}`;
}
