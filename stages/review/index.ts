import { defineStage, type Failure, type StageContext, type StageResult } from 'autoresearch';
import { options, type ReviewOptions } from './options.js';
import { promptFor } from './prompt.js';
import { type Health, healthOf, reportText, summaryText } from './report.js';
import { validated } from './validations.js';

export default defineStage({
  name: 'review',
  summary: 'Lets an independent agent say how an execution went, and has what is critical mended',
  version: '1',
  options,
  describe(given, { fixer, outputs }) {
    const { goal, plan, summary, validate = [], rounds, of } = given;
    const to = fileOf(given);
    const most = fixer === undefined ? 0 : (rounds ?? mostRounds);
    const problems = [
      ...(outputs.includes(to) ? [] : [`add ${to} to the outputs of the stage`]),
      ...(fixer === undefined && rounds !== undefined ? ['rounds has no effect without retry.fix'] : []),
    ];
    return {
      summary: `review ${summary.join(', ')} against ${[goal, ...plan].join(', ')} → ${to}`,
      commands: [...validate],
      reads: [...new Set([goal, ...plan, ...summary])],
      writes: [to],
      ...(most > 0 ? { fixes: most } : {}),
      asks: { role: 'reviewer', helpers: 0, questions: 1 + most, ...(of ? { reviews: of } : {}) },
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: () => [],
  async run(given, context) {
    const most = context.fixer === undefined ? 0 : (given.rounds ?? mostRounds);
    let before: Health | undefined;
    for (let rounds = 0; ; rounds += 1) {
      const validations = await validated(given.validate ?? [], context);
      if ('ended' in validations) return failed(validations.ended);
      const prompt = await promptFor(given, { validations, mended: before?.issues ?? [] }, context);
      const end = await context.ask({ prompt, reply: 'health', access: 'read' });
      // What was critical does not become nothing because the reviewer is gone.
      if (!end.ok) return failed(before && isGone(end.failure) ? critical(before, rounds, context) : end.failure);
      const health = healthOf(end.reply, validations);
      const reviewer = context.agent ?? '';
      await context.writeFile(fileOf(given), reportText({ health, validations, rounds, reviewer }));
      context.log(summaryText(health, rounds));
      if (health.verdict !== 'CRITICAL') return passed(health, rounds);
      if (rounds === most) return left(health, rounds, { given, context });
      const failure = await mend(health, context);
      if (failure) return failed(failure);
      before = health;
    }
  },
});

const mostRounds = 2;

const fileOf = ({ to }: ReviewOptions): string => to ?? 'REVIEW.md';

const failed = (failure: Failure): StageResult => ({ ok: false, failure });

const passed = (health: Health, rounds: number): StageResult => ({
  ok: true,
  summary: summaryText(health, rounds),
  ...(health.verdict === 'WARNING' ? { warnings: health.issues.map((issue) => `review: WARNING: ${issue}`) } : {}),
});

const critical = ({ issues }: Health, rounds: number, { agent = '' }: StageContext): Failure => ({
  code: 'review-critical',
  agent,
  rounds,
  issues,
});

function left(
  health: Health,
  rounds: number,
  { given, context }: { readonly given: ReviewOptions; readonly context: StageContext },
): StageResult {
  if (given.exhausted !== 'carry') return failed(critical(health, rounds, context));
  return {
    ok: true,
    summary: `carried forward: ${summaryText(health, rounds)}`,
    warnings: health.issues.map((issue) => `review: CRITICAL, carried forward: ${issue}`),
  };
}

/** Undefined: look again, whatever they say that they did. */
async function mend({ issues }: Health, context: StageContext): Promise<Failure | undefined> {
  const end = await context.mend({
    what: `a review found something critical: ${issues[0]}`,
    prompt: [
      'An independent review of this study has found something critical:',
      '',
      ...issues.map((issue) => `- ${issue}`),
      '',
      'Mend it, as little as possible and nothing else. Do not change tests, metrics, data or what is asked for. It is validated',
      'and reviewed again afterwards. If it is a mistake of design, change nothing and answer with the outcome "escalate" and',
      'the reason "design".',
      ...(context.scope ? ['', `You may change only: ${context.scope.join(', ')}`] : []),
    ].join('\n'),
  });
  if (end.ok || end.failure.code === 'agent-gave-up' || isGone(end.failure)) return undefined;
  return end.failure;
}

const isGone = (failure: Failure): boolean =>
  failure.code === 'agent-failed' && (failure.why === 'not-installed' || failure.why === 'not-logged-in');
