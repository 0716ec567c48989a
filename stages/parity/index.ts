import {
  defineStage,
  type Failure,
  knownSource,
  type StageContext,
  type StageResult,
  sourceNeeds,
  type ValueSource,
} from 'autoresearch';
import { type Arm, broken, compare, counted, type Row } from './compare.js';
import { options, type ParityOptions } from './options.js';
import { asWritten, renamed } from './resolved.js';
import { sameFileTwice } from './same-file.js';
import { markdown, rowText, tableLines, verdict } from './table.js';
import { shown } from './value.js';

export default defineStage({
  name: 'parity',
  summary: 'Checks that the arms of a comparison are set up alike, parameter by parameter',
  version: '2',
  options,
  describe(given) {
    const { check, params, to, python = 'python3' } = given;
    const needs = allArms(given).map(({ arm }) => sourceNeeds(arm, python));
    const problems = problemsOf(given);
    return {
      summary: `${check}: ${params.length} ${params.length === 1 ? 'parameter' : 'parameters'} of ${Object.keys(given.arms).join(', ')}${given.resolved ? ', as they were run' : ''}`,
      reads: [...new Set(needs.flatMap(({ reads }) => reads))],
      ...mustBeNew(given),
      commands: needs.flatMap(({ commands }) => commands),
      repeats: true,
      ...(needs.some(({ isCode }) => isCode) ? { always: true } : {}),
      ...(to === undefined ? {} : { writes: [to] }),
      ...(problems.length === 0 ? {} : { problems }),
    };
  },
  records: () => [],
  async run(given, context) {
    const { check, params, except = {}, names = {}, to } = given;
    const files = await loadAll(given.arms, given, context);
    if (!files.ok) return files;
    const same = sameFileTwice(given, context);
    const unsound = same.length > 0 ? same : olderThanTheRun(given.resolved ?? {}, context);
    if (unsound.length > 0) return failed({ code: 'behaviour-failed', detail: unsound.join('; ') });
    const runs = given.resolved ? await loadAll(given.resolved, given, context) : undefined;
    if (runs && !runs.ok) return runs;
    const arms = runs ? runs.arms.map(({ name, params: own }) => ({ name, params: renamed(own, names) })) : files.arms;
    const compared = compare({ arms, params, except, groupsOf: files.arms });
    const changes = context.parameters.ofCheck(check);
    const changed = (param: string): string | undefined =>
      changes[(names as Renamings)[param] ?? param] ?? changes[param];
    const rows = runs ? asWritten(compared, { runs: arms, files: inOrderOf(arms, files.arms), changed }) : compared;
    const armNames = arms.map(({ name }) => name);
    for (const line of tableLines(armNames, rows)) context.log(line);
    if (to !== undefined) await context.writeFile(to, report(to, { check, arms: armNames, rows }));
    return judged(check, armNames, rows);
  },
});

function judged(check: string, arms: readonly string[], rows: readonly Row[]): StageResult {
  const wrong = broken(rows);
  const lines = wrong.map((row) => rowText(row, arms));
  const checked = counted(rows).length;
  // Where everything is excepted, nothing was compared.
  if (checked === 0) lines.push('every parameter is excepted, so nothing was compared');
  if (lines.length > 0) return failed({ code: 'parity-broken', check, checked, lines });
  return {
    ok: true,
    summary: verdict(rows),
    product: JSON.stringify(rows.map(({ param, values }) => [param, values.map(shown)])),
  };
}

function report(
  to: string,
  { check, arms, rows }: { check: string; arms: readonly string[]; rows: readonly Row[] },
): string {
  if (!to.endsWith('.json')) return markdown(check, arms, rows);
  const table = rows.map(({ param, values, trouble, except }) => ({
    param,
    equal: trouble === undefined,
    values: Object.fromEntries(arms.map((arm, at) => [arm, shown(values[at])])),
    ...(trouble === undefined ? {} : { trouble }),
    ...(except === undefined ? {} : { except }),
  }));
  return `${JSON.stringify({ check, verdict: verdict(rows), table }, null, 2)}\n`;
}

/** All arms, and what is wrong with all of them. */
async function loadAll(
  arms: { readonly [name: string]: ValueSource },
  { python = 'python3', params, except = {}, names = {} }: ParityOptions,
  context: StageContext,
): Promise<{ readonly ok: true; readonly arms: readonly Arm[] } | { readonly ok: false; readonly failure: Failure }> {
  const asked = [...params, ...Object.keys(except), ...Object.values<string>(names)];
  const found: Arm[] = [];
  const wrong: string[] = [];
  for (const [name, arm] of Object.entries(arms)) {
    const loaded = await context.readValues({ from: arm, python, names: asked });
    if (loaded.ok) found.push({ name, params: loaded.values });
    else if ('failure' in loaded) return { ok: false, failure: loaded.failure };
    else wrong.push(`${name} (${placeOf(arm)}): ${loaded.why}`);
  }
  return wrong.length > 0
    ? { ok: false, failure: { code: 'behaviour-failed', detail: wrong.join('; ') } }
    : { ok: true, arms: found };
}

function mustBeNew({ resolved = {} }: ParityOptions): { mustBeNew?: string[] } {
  const files = Object.values<ValueSource>(resolved).filter((arm) => typeof arm === 'string' || !('run' in arm));
  return files.length === 0 ? {} : { mustBeNew: files.map(placeOf) };
}

/** What an earlier run said says nothing about this one. */
const olderThanTheRun = (resolved: { readonly [name: string]: ValueSource }, context: StageContext): string[] =>
  Object.entries(resolved).flatMap(([name, arm]) =>
    typeof arm === 'object' && 'run' in arm
      ? []
      : context.fileFacts(placeOf(arm))?.isOlder
        ? [`${name} (${placeOf(arm)}): it is older than the run, and no task of the run has it among its outputs`]
        : [],
  );

const placeOf = (arm: ValueSource): string => (typeof arm === 'string' ? arm : 'run' in arm ? arm.run : arm.file);

const inOrderOf = (order: readonly Arm[], arms: readonly Arm[]): Arm[] =>
  order.map(({ name }) => arms.find((arm) => arm.name === name)!);

function problemsOf(given: ParityOptions): string[] {
  const { arms, resolved, names = {}, params } = given;
  const wrong = allArms(given).flatMap(({ name, arm }) => {
    const source = knownSource(arm);
    return typeof source === 'string' ? [`arm ${name}: ${source}`] : [];
  });
  wrong.push(...oneForTwo('arms', arms), ...oneForTwo('resolved', resolved ?? {}));
  const known = Object.keys(arms);
  const other = resolved ? Object.keys(resolved) : known;
  for (const name of new Set([...known, ...other]))
    if (!known.includes(name) || !other.includes(name))
      wrong.push(`arms and resolved do not both have the arm ${name}`);
  if (!resolved && Object.keys(names).length > 0) wrong.push('names has no effect without resolved');
  for (const name of Object.keys(names))
    if (!params.includes(name)) wrong.push(`names has ${name}, which is not in params`);
  return wrong;
}

/** A file is always equal to itself: two arms that are read from one place are not compared. */
function oneForTwo(option: string, arms: { readonly [name: string]: ValueSource }): string[] {
  const first = new Map<string, string>();
  return Object.entries(arms).flatMap(([name, arm]) => {
    const place = JSON.stringify(typeof arm === 'string' ? { file: arm } : arm);
    const other = first.get(place);
    first.set(place, other ?? name);
    return other === undefined ? [] : [`${option}: ${other} and ${name} are read from the same place, ${placeOf(arm)}`];
  });
}

const allArms = ({ arms, resolved = {} }: ParityOptions): { readonly name: string; readonly arm: ValueSource }[] =>
  [...Object.entries(arms), ...Object.entries(resolved)].map(([name, arm]) => ({ name, arm: arm as ValueSource }));

type Renamings = { readonly [param: string]: string };

const failed = (failure: Failure): StageResult => ({ ok: false, failure });
