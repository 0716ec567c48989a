import {
  checkArtifact,
  checkLink,
  defineStage,
  type Failure,
  type Finding,
  filesOf,
  type StageContext,
  type StageResult,
} from 'autoresearch';
import { checkCommand, checkCommit, commitCommand } from './commands.js';
import { options, type VerifyOptions } from './options.js';
import { checkProse } from './prose.js';
import { gapsOf, gapText, reportText, scoreOf } from './report.js';
import { allWishes, countOf, inlineWishes, type Wishes } from './wishes.js';

export default defineStage({
  name: 'verify',
  summary: 'Checks from the goal backwards what has to be true in the end, and lets gaps be closed',
  version: '1',
  options,
  describe(given, { agent, fixer, outputs }) {
    const wishes = inlineWishes(given);
    const count = countOf(wishes);
    const { from = [], closure } = given;
    const to = fileOf(given);
    const rounds = fixer === undefined ? 0 : (closure ?? mostRounds);
    const mayAsk = agent !== undefined && (wishes.prose.length > 0 || from.length > 0);
    const looksAt = [...new Set([...wishes.artifacts.map(({ path }) => path), ...wishes.links.flatMap(filesOf)])];
    const problems = [
      ...(count === 0 && from.length === 0 ? ['there is nothing to verify: must_haves, or from'] : []),
      ...(outputs.includes(to) ? [] : [`add ${to} to the outputs of the stage`]),
      ...(fixer === undefined && closure !== undefined ? ['closure has no effect without retry.fix'] : []),
    ];
    return {
      summary: `verify ${[...(count > 0 ? [`${count} must-${count === 1 ? 'have' : 'haves'}`] : []), ...from].join(', ')} → ${to}`,
      commands: [
        ...wishes.commands.map(({ run }) => run),
        ...wishes.commits.map((wish) => commitCommand(wish).join(' ')),
      ],
      writes: [to],
      ...(from.length > 0 ? { reads: [...from] } : {}),
      ...(looksAt.length > 0 ? { looksAt } : {}),
      always: true,
      ...(rounds > 0 ? { fixes: rounds } : {}),
      ...(mayAsk ? { asks: { role: 'reviewer', helpers: 0, questions: 1 + rounds } } : {}),
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: () => [],
  async run(given, context) {
    // Read once: whoever closes gaps cannot do it by asking for less.
    const wishes = await allWishes(given, context);
    if (typeof wishes === 'string') return failed({ code: 'behaviour-failed', detail: wishes });
    const most = context.fixer === undefined ? 0 : (given.closure ?? mostRounds);
    for (let rounds = 0; ; rounds += 1) {
      const findings = await look(wishes, given, context);
      if ('ended' in findings) return failed(findings.ended);
      const verdict = { stage: context.stage, findings, rounds };
      await context.writeFile(fileOf(given), reportText(verdict));
      const gaps = gapsOf(findings);
      for (const one of gaps) context.log(`gap: ${gapText(one)}`);
      if (gaps.length === 0) return { ok: true, summary: `passed, ${scoreOf(findings)}${afterRounds(rounds)}` };
      if (rounds === most) return left(findings, rounds, given);
      const failure = await close(gaps, context);
      if (failure) return failed(failure);
    }
  },
});

const mostRounds = 2;

const defaultClaims = ['**/*SUMMARY*.md', '**/execution.md', '**/*VERIFICATION*.md', '**/REVIEW.md'];

const fileOf = ({ to }: VerifyOptions): string => to ?? 'VERIFICATION.md';

const failed = (failure: Failure): StageResult => ({ ok: false, failure });

async function look(
  { prose, commands, artifacts, links, commits }: Wishes,
  given: VerifyOptions,
  context: StageContext,
): Promise<readonly Finding[] | { readonly ended: Failure }> {
  const findings: Finding[] = [];
  for (const artifact of artifacts) findings.push(await checkArtifact(artifact, context));
  for (const link of links) findings.push(await checkLink(link, context));
  for (const check of [
    ...commands.map((wish) => () => checkCommand(wish, context)),
    ...commits.map((wish) => () => checkCommit(wish, context)),
  ]) {
    const found = await check();
    if ('ended' in found) return found;
    findings.push(found);
  }
  const claims = [...(given.claims ?? defaultClaims), fileOf(given)];
  const judged = await checkProse(prose, { claims, context });
  return 'ended' in judged ? judged : [...findings, ...judged];
}

/** Undefined: look again, whatever they say that they did. */
async function close(gaps: readonly Finding[], context: StageContext): Promise<Failure | undefined> {
  const end = await context.mend({
    what: `${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} found: ${gapText(gaps[0]!)}`,
    prompt: [
      'A verification of this project has found gaps: things that have to be true and are not, or that nobody could show.',
      '',
      ...gaps.map((one) => `- ${one.kind}: ${gapText(one)}`),
      '',
      'Close them by doing what is missing, as little as possible and nothing else. Do not change tests, metrics, data or what',
      'is asked for, and write nothing whose only purpose is to look done: it is looked at again afterwards. If a gap is a',
      'mistake of design, change nothing and answer with the outcome "escalate" and the reason "design".',
      ...(context.scope ? ['', `You may change only: ${context.scope.join(', ')}`] : []),
    ].join('\n'),
  });
  if (end.ok || goesOn(end.failure)) return undefined;
  return end.failure;
}

/** Who gave up, or is not there, has closed nothing; that is found out by looking. */
const goesOn = (failure: Failure): boolean =>
  failure.code === 'agent-gave-up' ||
  (failure.code === 'agent-failed' && (failure.why === 'not-installed' || failure.why === 'not-logged-in'));

function left(findings: readonly Finding[], rounds: number, { exhausted }: VerifyOptions): StageResult {
  const gaps = gapsOf(findings).map(gapText);
  const score = scoreOf(findings);
  if (exhausted !== 'carry') return failed({ code: 'gaps-found', score, gaps });
  const words = `gaps found, ${score}${afterRounds(rounds)}`;
  return {
    ok: true,
    summary: `${words}; carried forward: ${gaps.join('; ')}`,
    warnings: gaps.map((one) => `gap carried forward: ${one}`),
  };
}

const afterRounds = (rounds: number): string =>
  rounds === 0 ? '' : ` after ${rounds === 1 ? 'one round' : `${rounds} rounds`} of closing gaps`;
