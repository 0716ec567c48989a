import {
  defineStage,
  type Failure,
  knownSource,
  type StageContext,
  type StageResult,
  sourceNeeds,
  type ValueSource,
} from 'autoresearch';
import { type Change, changesOf } from './changes.js';
import { type Candidate, type Judgement, judge, type Rules } from './judge.js';
import { type CompareOptions, options } from './options.js';
import { type Outside, outsideOf, outsideText } from './outside.js';
import { type Reproduction, reproductionOf } from './reproduce.js';
import { armsIn, type Runs } from './runs-table.js';
import { mean } from './sample.js';
import { markdown, reproductionText, sentence } from './words.js';

export default defineStage({
  name: 'compare',
  summary: 'Compares arms over seeds: an interval, an effect size, and a verdict that follows from them',
  version: '3',
  options,
  describe(given) {
    const { results, metric, baseline, variants, reproduce, configs = {}, to, report } = given;
    const needs = Object.values<ValueSource>(configs).map((source) => sourceNeeds(source));
    const reported = reproduce?.reported as number | { readonly from: string } | undefined;
    const problems = problemsOf(given);
    return {
      summary: `${metric} of ${variants?.join(', ') ?? 'all arms'} against ${baseline}`,
      reads: [
        ...new Set([
          results,
          ...(typeof reported === 'object' ? [reported.from] : []),
          ...needs.flatMap(({ reads }) => reads),
        ]),
      ],
      commands: needs.flatMap(({ commands }) => commands),
      // Old ones step aside before whoever makes the table begins.
      mustBeNew: [results],
      writes: [to, ...(report === undefined ? [] : [report])],
      repeats: true,
      ...(needs.some(({ isCode }) => isCode) ? { always: true } : {}),
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  // Without a list of them, what is compared is known when the table is there.
  records: ({ variants }) => variants?.map(recordedAs),
  async run(given, context) {
    const outside = outsideOf(given, context);
    if (typeof outside === 'string') return unusable([outside]);
    const table = await loadArms(given, context);
    if (!table.ok) return table;
    const { arms } = table;
    const found = await reproductionOf(given, arms.get(given.baseline)!, context);
    if (typeof found === 'string') return failed({ code: 'behaviour-failed', detail: found });
    const other = found && !found.reproduced ? given.reproduce! : undefined;
    if (other?.otherwise === 'debug' || other?.otherwise === 'ask')
      return notReproduced(given.metric, found!, other.otherwise);
    const baseline = other?.otherwise === 'replace' ? other.replacement! : given.baseline;
    const variants = (given.variants ?? [...arms.keys()]).filter(
      (name) => name !== baseline && !(other?.otherwise === 'replace' && name === given.baseline),
    );
    // Whether a baseline gives the reported numbers can be asked before there is anything to compare it with.
    if (variants.length === 0 && (!found || given.require !== undefined))
      return failed({ code: 'behaviour-failed', detail: `there is no arm besides ${baseline}` });
    const changes = given.configs
      ? await changesOf({ ...given, baseline, variants, configs: given.configs }, context)
      : ({ ok: true, of: new Map<string, Change>() } as const);
    if (!changes.ok) return changes;
    const rules = rulesOf(given, arms, baseline);
    if (typeof rules === 'string') return failed({ code: 'behaviour-failed', detail: rules });
    const candidates = variants.map((name): Candidate => {
      const noChange = changes.of.get(name)?.noChange;
      return { name, runs: arms.get(name)!, ...(noChange === undefined ? {} : { noChange }) };
    });
    const judged = judge(arms.get(baseline)!, candidates, rules);
    const notCompared = [...arms.keys()].filter((name) => ![baseline, given.baseline, ...variants].includes(name));
    const answer = { baseline, rules, judged, reproduction: found, changes: changes.of, notCompared, outside };
    return told(given, answer, context);
  },
});

const recordedAs = (variant: string): string => `improvement[${variant}]`;

type Arms = { readonly ok: true; readonly arms: ReadonlyMap<string, Runs> } | Extract<StageResult, { ok: false }>;

async function loadArms(given: CompareOptions, context: StageContext): Promise<Arms> {
  const { results, metric, baseline, variants = [], arm = 'arm', seed = 'seed', reproduce } = given;
  const read = await context.parseData(await context.readFile(results), /\.json$/i.test(results) ? 'json' : 'yaml');
  const arms = read.ok ? armsIn(read.value, { arm, seed, metric }) : [read.why];
  if (!isArms(arms)) return unusable(arms.map((line) => `${results}: ${line}`));
  const wanted = [baseline, ...variants, ...(reproduce?.replacement === undefined ? [] : [reproduce.replacement])];
  const unknown = [...new Set(wanted)].filter((name) => !arms.has(name));
  if (unknown.length > 0)
    return unusable(
      unknown.map((name) => `${results}: there is no run of ${name}; there are ${[...arms.keys()].join(', ')}`),
    );
  return { ok: true, arms };
}

const isArms = (arms: ReturnType<typeof armsIn>): arms is ReadonlyMap<string, Runs> => !Array.isArray(arms);

const unusable = (lines: readonly string[]): Extract<StageResult, { ok: false }> =>
  failed({ code: 'metrics-unusable', lines });

/** A text says what cannot be worked out. */
function rulesOf(given: CompareOptions, arms: ReadonlyMap<string, Runs>, baseline: string): Rules | string {
  const {
    better,
    paired = true,
    minEffect = 0,
    confidence = 0.95,
    minSeeds = 5,
    maxMissing = 0,
    correction = 'holm',
    samples = 10_000,
  } = given;
  // Whoever was tried counts, also where nobody asks about it: the best of twenty is lucky, however it is shown.
  const tried = [...arms.keys()].filter((name) => name !== baseline && name !== given.baseline).length;
  const rules = { better, paired, confidence, minSeeds, maxMissing, correction, samples, tried };
  if (typeof minEffect === 'number') return { ...rules, minEffect };
  const numbers = [...arms.get(baseline)!.values()].filter((value) => typeof value === 'number');
  if (numbers.length === 0 || mean(numbers) === 0) return `${minEffect} of the mean of the baseline is nothing`;
  return { ...rules, minEffect: (Number.parseFloat(minEffect as string) / 100) * Math.abs(mean(numbers)) };
}

function notReproduced(
  metric: string,
  { arm, reported, found, tolerance, missing }: Reproduction,
  decision: 'debug' | 'ask',
): StageResult {
  return failed({
    ...{ code: 'baseline-not-reproduced', arm, metric, reported, found, tolerance, decision },
    ...(missing ? { missing } : {}),
  });
}

interface Answer {
  readonly baseline: string;
  readonly rules: Rules;
  readonly judged: readonly Judgement[];
  readonly reproduction: Reproduction | undefined;
  readonly changes: ReadonlyMap<string, Change>;
  /** Arms of the table that nobody asked about. */
  readonly notCompared: readonly string[];
  readonly outside: readonly Outside[];
}

async function told(given: CompareOptions, answer: Answer, context: StageContext): Promise<StageResult> {
  const { baseline, rules, judged, reproduction, changes, notCompared, outside } = answer;
  const { tried, ...shownRules } = rules;
  const facts = { metric: given.metric, better: rules.better, baseline, minEffect: rules.minEffect };
  const sentences = judged.map((one) => sentence(one, facts));
  const about = reproduction ? [reproductionText(reproduction)] : [];
  if (reproduction && !reproduction.reproduced && baseline !== given.baseline)
    about.push(`${baseline} takes its place`);
  if (notCompared.length > 0)
    about.push(
      `${notCompared.join(', ')} ${notCompared.length === 1 ? 'was' : 'were'} tried too, and not compared here`,
    );
  about.push(...outside.map(outsideText));
  for (const line of [...about, ...sentences]) context.log(line);
  const comparison = {
    ...facts,
    ...shownRules,
    ...(reproduction ? { reproduction: { ...reproduction, otherwise: given.reproduce!.otherwise } } : {}),
    ...(notCompared.length > 0 ? { tried, notCompared } : {}),
    ...(outside.length > 0 ? { outside } : {}),
    variants: judged.map((one, index) => ({
      ...one,
      ...(changes.has(one.variant) ? { changed: changes.get(one.variant)!.names } : {}),
      sentence: sentences[index]!,
    })),
  };
  await context.writeFile(given.to, `${JSON.stringify(comparison, null, 2)}\n`);
  if (given.report !== undefined) await context.writeFile(given.report, markdown(facts, judged, { about, changes }));
  const metrics = Object.fromEntries(
    judged.flatMap(({ variant, improvement }) => (improvement === null ? [] : [[recordedAs(variant), improvement]])),
  );
  const published = Object.keys(metrics).length > 0 ? { metrics } : {};
  const short = judged.flatMap(({ verdict }, index) => (verdict === 'supported' ? [] : [sentences[index]!]));
  if (given.require === 'supported' && short.length > 0)
    return { ...failed({ code: 'checks-failed', checked: judged.length, lines: short }), ...published };
  const flagged = reproduction && !reproduction.reproduced ? ['the baseline is not reproduced'] : [];
  const verdicts = judged.map(({ variant, verdict }) => `${variant} ${verdict}`);
  return {
    ok: true,
    summary: judged.length === 0 ? reproductionText(reproduction!) : [...flagged, ...verdicts].join(', '),
    ...published,
    warnings: outside.filter(({ what }) => what === 'table').map(outsideText),
    product: JSON.stringify(comparison),
  };
}

const failed = (failure: Failure): Extract<StageResult, { ok: false }> => ({ ok: false, failure });

function problemsOf({ baseline, variants = [], reproduce, configs, ...given }: CompareOptions): string[] {
  const { seedNames, labels, to, report } = given;
  const { otherwise, replacement } = reproduce ?? {};
  return [
    ...(variants.includes(baseline) ? [`${baseline} is the baseline, and cannot be compared with itself`] : []),
    ...(new Set(variants).size < variants.length ? ['a variant is named twice'] : []),
    ...(otherwise === 'replace' && replacement === undefined
      ? ['say which arm takes the place of the baseline: replacement']
      : []),
    ...(otherwise !== 'replace' && replacement !== undefined
      ? ['replacement has no effect unless otherwise is replace']
      : []),
    ...(replacement === baseline && baseline !== undefined ? ['the baseline cannot take its own place'] : []),
    ...(seedNames && !configs ? ['seedNames has no effect without configs'] : []),
    ...(labels && !configs ? ['labels has no effect without configs'] : []),
    ...(configs
      ? [baseline, ...variants].filter((arm) => !Object.hasOwn(configs, arm)).map((arm) => `configs has no ${arm}`)
      : []),
    ...Object.entries<ValueSource>(configs ?? {}).flatMap(([arm, source]) => {
      const known = knownSource(source);
      return typeof known === 'string' ? [`configs ${arm}: ${known}`] : [];
    }),
    ...(report === to ? ['to and report are the same file'] : []),
  ];
}
